#include "experiments/tmmodel/kernel_shapes.hpp"

#include "base/lists.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace texelscope::experiments {
// The shapes of table 3, which gives ranges of sizes but does not say which go together. Here
// images are square, and channels fall as the image grows.
namespace {

struct ImageSize {
    std::int64_t side = 1;
    std::int64_t taps = 3;
};
// Small and large; taps grow with the image, as table 3 has 3 to 7.
constexpr std::array<ImageSize, 2> image_sizes{{{16, 3}, {256, 5}}};
constexpr std::array<ImageSize, 2> volume_sizes{{{16, 3}, {64, 3}}};
constexpr std::array<std::int64_t, 3> product_sides{16, 256, 4096};
constexpr std::array<std::int64_t, 3> row_sides{16, 128, 1024};

Operator convolution(const std::string& name, ImageSize size, int stride)
{
    const std::int64_t channels = image_channels(size.side);
    return parse_operator(
        name, fmt::format("1,{0},{0},{1},{1},{2},{2},{3}", size.side, channels, size.taps, stride));
}

/// Frames stay at 8: a volume that grew along all three axes would soon be too large to simulate.
Operator volume_convolution(ImageSize size)
{
    constexpr std::int64_t frames = 8;
    const std::int64_t channels = image_channels(size.side);
    return parse_operator("conv3d", fmt::format("1,{0},{1},{1},{2},{2},{3},{3},{3},1", frames,
                                                size.side, channels, size.taps));
}

Operator depthwise(ImageSize size)
{
    return parse_operator("dwconv2d", fmt::format("1,{0},{0},{1},{2},{2},1", size.side,
                                                  image_channels(size.side), size.taps));
}

} // namespace

std::int64_t image_channels(std::int64_t side)
{
    return std::clamp<std::int64_t>(1024 / side, 16, 64);
}

Operator square_conv2d(std::int64_t side, std::int64_t taps)
{
    return convolution("conv2d", {side, taps}, 1);
}

std::vector<Operator> table3_conv2d_shapes()
{
    std::vector<Operator> shapes;
    for (std::int64_t side = 16; side <= 512; side *= 2) {
        for (const std::int64_t taps : {3, 5, 7}) {
            shapes.push_back(square_conv2d(side, taps));
        }
    }
    return shapes;
}

std::vector<PaperKernel> table3_kernels()
{
    const auto image = [](const char* op, int stride) {
        return [op, stride](ImageSize size) { return convolution(op, size, stride); };
    };
    const auto rows = [](const char* op) {
        return [op](std::int64_t side) { return parse_operator(op, fmt::format("{0},{0}", side)); };
    };
    return {
        {"MatMul", mapped(product_sides,
                          [](std::int64_t side) {
                              return parse_operator("matmul", fmt::format("{0},{0},{0}", side));
                          })},
        {"Conv2Ds1", mapped(image_sizes, image("conv2d", 1))},
        {"Conv2Ds2", mapped(image_sizes, image("conv2d", 2))},
        {"DeConv2Ds1", mapped(image_sizes, image("deconv2d", 1))},
        {"DeConv2Ds2", mapped(image_sizes, image("deconv2d", 2))},
        {"Conv3D", mapped(volume_sizes, volume_convolution)},
        {"DwConv2D", mapped(image_sizes, depthwise)},
        {"SoftMax", mapped(row_sides, rows("softmax"))},
        {"LayerNorm", mapped(row_sides, rows("layernorm"))},
    };
}

} // namespace texelscope::experiments
