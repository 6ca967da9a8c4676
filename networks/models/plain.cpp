#include "networks/models/builder.hpp"
#include "networks/models/models.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

namespace texelscope::networks {
// Networks that are chains of layers, and small ones for tests and for the study of training.
namespace {

ValueId conv_relu(Builder& net, ValueId x, const Builder::Conv& conv)
{
    return net.node("Relu", {net.conv(x, conv)});
}

/// Simonyan and Zisserman, ICLR 2015, table 1 (columns D and E): how many convolutions each stage
/// has.
BuiltInModel vgg(const std::string& name, std::array<int, 5> convolutions)
{
    const auto make = [=](std::int64_t batch, std::uint64_t seed) {
        Builder net(name, seed);
        ValueId x = net.input("image", {batch, 3, 224, 224});
        std::int64_t channels = 64;
        for (const int count : convolutions) {
            for (int i = 0; i < count; ++i) {
                x = conv_relu(net, x, {channels, {3, 3}, 1, {1, 1}, 1, true});
            }
            x = net.pool(x, "MaxPool", 2, 2);
            channels = channels < 512 ? 2 * channels : channels;
        }
        x = net.node("Flatten", {x});
        x = net.node("Relu", {net.gemm(x, 4096)});
        x = net.node("Relu", {net.gemm(x, 4096)});
        return std::move(net).finish(net.gemm(x, 1000));
    };
    return {name, "Simonyan and Zisserman, ICLR 2015, table 1", {1, 3, 224, 224}, make};
}

/// Iandola et al., arXiv 1602.07360, table 1. A fire module squeezes by 1x1 convolutions to few
/// channels, and expands these by 1x1 and 3x3 convolutions side by side.
Graph squeezenet(std::int64_t batch, std::uint64_t seed)
{
    Builder net("squeezenet-1.0", seed);
    const auto fire = [&](ValueId x, std::int64_t squeezed, std::int64_t expanded) {
        const ValueId s = conv_relu(net, x, {squeezed, {1, 1}, 1, {0, 0}, 1, true});
        const ValueId one = conv_relu(net, s, {expanded, {1, 1}, 1, {0, 0}, 1, true});
        const ValueId three = conv_relu(net, s, {expanded, {3, 3}, 1, {1, 1}, 1, true});
        Attributes axis;
        axis.set("axis", std::int64_t{1});
        return net.node("Concat", {one, three}, axis);
    };
    const auto halved = [&](ValueId x) { return net.pool(x, "MaxPool", 3, 2, 0, true); };
    ValueId x = net.input("image", {batch, 3, 224, 224});
    x = halved(conv_relu(net, x, {96, {7, 7}, 2, {0, 0}, 1, true}));
    x = halved(fire(fire(fire(x, 16, 64), 16, 64), 32, 128));
    x = halved(fire(fire(fire(fire(x, 32, 128), 48, 192), 48, 192), 64, 256));
    x = conv_relu(net, fire(x, 64, 256), {1000, {1, 1}, 1, {0, 0}, 1, true});
    return std::move(net).finish(net.node("Flatten", {net.node("GlobalAveragePool", {x})}));
}

/// Dong et al., ECCV 2016: FSRCNN(56, 12, 4), which enlarges three times. From an image of 85x85
/// the transposed convolution makes 3 (85 - 1) + 9 - 2 4 + 2 = 255 places a side.
Graph fsrcnn(std::int64_t batch, std::uint64_t seed)
{
    Builder net("fsrcnn", seed);
    const auto conv = [&](ValueId x, std::int64_t outputs, std::int64_t kernel) {
        const ValueId y =
            net.conv(x, {outputs, {kernel, kernel}, 1, {kernel / 2, kernel / 2}, 1, true});
        return net.node("PRelu", {y, net.weights("slope", {outputs, 1, 1}, 0.25)});
    };
    ValueId x = net.input("image", {batch, 1, 85, 85});
    x = conv(conv(x, 56, 5), 12, 1);
    for (int i = 0; i < 4; ++i) {
        x = conv(x, 12, 3);
    }
    x = conv(x, 56, 1);
    Attributes up;
    up.set("strides", std::vector<std::int64_t>{3, 3});
    up.set("pads", std::vector<std::int64_t>{4, 4, 4, 4});
    up.set("output_padding", std::vector<std::int64_t>{2, 2});
    const ValueId weight = net.weights("deconv_weight", {56, 1, 9, 9}, 0.05);
    return std::move(net).finish(
        net.node("ConvTranspose", {x, weight, net.weights("deconv_bias", {1}, 0.1)}, up));
}

/// LeCun et al., Proc. IEEE 86(11), 1998, figure 2, as it is trained today: ReLU for tanh, the
/// largest number of a window for its mean with a weight and a bias, a second convolution that
/// reads all six maps, sums for the distances at the end. Images of 28x28 have the two rows of
/// zeros around them that make the paper's 32x32.
Graph lenet(std::int64_t batch, std::uint64_t seed)
{
    Builder net("lenet-5", seed);
    ValueId x = net.input("image", {batch, 1, 28, 28});
    x = net.pool(conv_relu(net, x, {6, {5, 5}, 1, {2, 2}, 1, true}), "MaxPool", 2, 2);
    x = net.pool(conv_relu(net, x, {16, {5, 5}, 1, {0, 0}, 1, true}), "MaxPool", 2, 2);
    x = net.node("Flatten", {x});
    x = net.node("Relu", {net.gemm(x, 120)});
    x = net.node("Relu", {net.gemm(x, 84)});
    return std::move(net).finish(net.gemm(x, 10));
}

/// Perceptrons of the study of training on phones (PerCom workshops 2022, figure 4).
BuiltInModel perceptron(const std::vector<std::int64_t>& widths)
{
    const std::string name = fmt::format("mlp-{}", fmt::join(widths, "-"));
    const auto make = [=](std::int64_t batch, std::uint64_t seed) {
        Builder net(name, seed);
        ValueId x = net.input("x", {batch, widths.front()});
        for (std::size_t i = 1; i < widths.size(); ++i) {
            x = net.gemm(x, widths[i]);
            x = i + 1 < widths.size() ? net.node("Relu", {x}) : x;
        }
        return std::move(net).finish(x);
    };
    return {
        name, "the study of training on phones, PerCom workshops 2022", {1, widths.front()}, make};
}

} // namespace

std::vector<BuiltInModel> plain_models()
{
    return {{"squeezenet-1.0",
             "Iandola et al., arXiv 1602.07360, table 1",
             {1, 3, 224, 224},
             squeezenet},
            vgg("vgg-16", {2, 2, 3, 3, 3}),
            vgg("vgg-19", {2, 2, 4, 4, 4}),
            {"fsrcnn",
             "Dong et al., ECCV 2016, (56, 12, 4), three times the size",
             {1, 1, 85, 85},
             fsrcnn},
            {"lenet-5",
             "LeCun et al., Proc. IEEE 1998, but ReLU, max pools, a full second convolution, a "
             "linear output",
             {1, 1, 28, 28},
             lenet},
            perceptron({16, 16}),
            perceptron({16, 16, 16, 16}),
            perceptron({256, 256}),
            perceptron({784, 256, 128, 16})};
}

} // namespace texelscope::networks
