#pragma once

#include "codegen/operators/conv_geometry.hpp"
#include "codegen/operators/operator.hpp"

namespace texelscope::codegen {

/// The operator of a convolution (conv2d, conv3d, dwconv2d, deconv2d) or of a gradient of one (_dx, _dw). Its flops
/// are those of the products of which neither factor is padding. Throws bad_input where a tensor is too large.
[[nodiscard]] Operator conv_operator(const Convolution& conv);

} // namespace texelscope::codegen
