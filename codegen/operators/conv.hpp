#pragma once

#include "codegen/lowering/contraction.hpp"
#include "codegen/operators/conv_geometry.hpp"
#include "codegen/operators/operator.hpp"

namespace texelscope::codegen {

/// The operator of a convolution (conv2d, conv3d, dwconv2d, deconv2d) or of a gradient of one (_dx,
/// _dw). Its flops are those of the products of which neither factor is padding. Throws bad_input
/// where a tensor is too large.
[[nodiscard]] Operator conv_operator(const Convolution& conv);

/// A convolution or a gradient of one as a contraction. Its dimensions, the reductions behind the
/// bar (conv2d, others alike; c alone stands for both channels where depthwise):
///
///   coarse image:  n,oh,ow,co | kh,kw,ci              x = co, y = ow, z = n,oh
///   fine image:    n,ph,pw,qh,qw,co | jh,jw,ci        x = co, y = qw, z = n,ph,pw,qh
///   weights:       kh,kw,ci,co | n,oh,ow              x = co, y = ci, z = kh,kw
///                                                  (depthwise: x = c, y = kw, z = kh)
///
/// (o is i, and co and ci change places, where the coarse image is X and where the gradient of an
/// image is computed.)
///
/// A fine index f takes part in products with those kernel indices alone that agree with f + before
/// modulo the stride s. So that none is tried in vain, f is split into its phase and the rest, f =
/// s*q + p; then for each j
///     kernel index = s*j + mod(p + before, s),   coarse index = q + floor_div(p + before, s) - j,
/// which together are coarse * s + kernel - before = f. With stride 1 there is one phase, and no
/// dimension for it.
[[nodiscard]] Contraction conv_contraction(const Convolution& conv);

} // namespace texelscope::codegen
