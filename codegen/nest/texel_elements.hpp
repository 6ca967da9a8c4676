#pragma once

#include "codegen/nest/operand.hpp"
#include "traces/image.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace texelscope::codegen {

/// Index of a tensor's element along each dimension.
using ElementIndex = std::vector<std::int64_t>;

/// The elements that a texel of an operand holds, by component; a component that is padding has
/// none. They are found by inverting the operand's index expressions, by which pack() places
/// elements: the tensor's index space is halved again and again, and a half is dropped if the
/// bounds of the expressions over it exclude this texel.
[[nodiscard]] std::array<std::optional<ElementIndex>, 4> elements_of(const Operand& operand,
                                                                     Texel texel);

/// The texel that holds an element. `index` has one number for each dimension.
[[nodiscard]] Texel texel_of(const Operand& operand, const ElementIndex& index);

} // namespace texelscope::codegen
