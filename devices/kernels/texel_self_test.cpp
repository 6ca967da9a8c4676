#include "devices/kernels/texel_self_test.hpp"

#include "codegen/nest/loop_nest.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>

namespace texelscope::devices {
namespace {

constexpr std::int32_t margin = 3; ///< texels beyond each edge that are read too

/// Odd on purpose: rows that end in the middle of a cache line, images of one row and of one
/// column.
constexpr Extent2D extents[] = {{13, 7}, {1, 5}, {9, 1}};
constexpr Extent2D grid{13 + 2 * margin, 7 + 2 * margin};

/// Work-item (i, j) reads each image at (i - margin, j - margin), which may lie outside, and at (i
/// mod width, j mod height), which does not, and writes twice the one plus the other; the results
/// lie side by side.
LoopNest both_reads()
{
    const auto item = work_item_variables({1, 1, 1}, {grid.width, grid.height, 1});
    const Variable column{LoopNest::first_named_slot, "i", {0, grid.width - 1}};
    const Variable row{LoopNest::first_named_slot + 1, "j", {0, grid.height - 1}};
    const IndexExpr i{column};
    const IndexExpr j{row};

    LoopNest nest;
    nest.names = {{column, IndexExpr(item[slots::local_x])},
                  {row, IndexExpr(item[slots::local_y])}};
    nest.name = "texel_self_test";
    nest.operator_text = "self-test of texel reads";
    nest.local = {grid.width, grid.height, 1};
    int image = 0;
    for (const Extent2D extent : extents) {
        const std::string outer = fmt::format("outer{}", image);
        const std::string inner = fmt::format("inner{}", image);
        nest.inputs.push_back(texel_operand(fmt::format("in{}", image), extent));
        const NestValue outer_value = nest.add_value(outer, 4);
        const NestValue inner_value = nest.add_value(inner, 4);
        nest.body.push_back(NestRead{outer_value, {image, i - margin, j - margin}});
        nest.body.push_back(
            NestRead{inner_value, {image, mod(i, extent.width), mod(j, extent.height)}});
        nest.body.push_back(
            NestWrite{i + image * grid.width, j, {}, 2.0 * outer_value + inner_value});
        ++image;
    }
    nest.output = texel_operand("sums", {grid.width * image, grid.height});
    return nest;
}

std::vector<std::vector<float>> random_texels()
{
    std::mt19937_64 random(20250607);
    std::vector<std::vector<float>> inputs;
    for (const Extent2D extent : extents) {
        std::vector<float> texels(static_cast<std::size_t>(extent.area() * 4));
        for (float& component : texels) {
            // small whole numbers: the sums are exact
            component = static_cast<float>(1 + random() % 4096);
        }
        inputs.push_back(std::move(texels));
    }
    return inputs;
}

float texel(const std::vector<float>& texels, Extent2D extent, Texel at, int component)
{
    return extent.contains(at)
               ? texels[static_cast<std::size_t>((at.y * extent.width + at.x) * 4 + component)]
               : 0.0F;
}

std::vector<float> expected(const std::vector<std::vector<float>>& inputs)
{
    std::vector<float> sums;
    for (std::int32_t j = 0; j < grid.height; ++j) {
        for (std::size_t image = 0; image < inputs.size(); ++image) {
            const Extent2D extent = extents[image];
            for (std::int32_t i = 0; i < grid.width; ++i) {
                for (int component = 0; component < 4; ++component) {
                    const float outer =
                        texel(inputs[image], extent, {i - margin, j - margin}, component);
                    const float inner = texel(inputs[image], extent,
                                              {i % extent.width, j % extent.height}, component);
                    sums.push_back(2.0F * outer + inner);
                }
            }
        }
    }
    return sums;
}

} // namespace

bool reads_agree(const RunWith& run_with, TexelBackend candidate)
{
    const LoopNest nest = both_reads();
    const auto inputs = random_texels();
    const auto wanted = expected(inputs);
    for (const TexelBackend backend : {TexelBackend::native, candidate}) {
        const Measurement measured = run_with(nest, inputs, backend);
        if (measured.status != RunStatus::ok || measured.output != wanted) {
            return false;
        }
    }
    return true;
}

} // namespace texelscope::devices
