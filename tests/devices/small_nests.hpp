#pragma once

#include "codegen/nest/loop_nest.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace texelscope::test {
using namespace codegen;

/// output(x, y) = input(x + shift.x, y + shift.y), zero outside of the input; both images have
/// `extent`. Work-groups of 8x4, the last of which reach beyond the image where it does not divide.
[[nodiscard]] LoopNest shifted_copy(Extent2D extent, Texel shift);

/// What the copy has to return.
[[nodiscard]] std::vector<float> shifted(const std::vector<float>& texels, Extent2D extent,
                                         Texel shift);

/// output(x, y) = sum over k of a(k, y) * b(x, k), by component; extents: a KxH, b WxK, output WxH.
[[nodiscard]] LoopNest component_product(std::int32_t width, std::int32_t height,
                                         std::int32_t depth);

/// Whole numbers in [1, 64], 4 for each texel: small sums and products of them are exact.
[[nodiscard]] std::vector<float> random_texels(Extent2D extent, std::uint64_t seed);

} // namespace texelscope::test
