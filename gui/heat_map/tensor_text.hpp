#pragma once

#include "codegen/nest/operand.hpp"
#include "traces/image.hpp"

#include <QString>

namespace texelscope::gui {

/// The name of a dimension of a tensor.
[[nodiscard]] QString dimension_text(const Tensor& tensor, std::size_t dimension);

/// Which elements of the tensor a texel holds: "row 5, column 8..11", and how many of its
/// components are padding.
[[nodiscard]] QString elements_text(const Operand& operand, Texel texel);

} // namespace texelscope::gui
