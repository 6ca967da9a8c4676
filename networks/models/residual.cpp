#include "networks/models/builder.hpp"
#include "networks/models/models.hpp"

#include <array>

namespace texelscope::networks {
namespace {

/// Two 3x3 convolutions, added to the block's input (He et al., CVPR 2016, figure 5 left).
ValueId basic_block(Builder& net, ValueId x, std::int64_t channels, std::int64_t stride)
{
    const ValueId first = net.conv_norm(x, {channels, {3, 3}, stride, {1, 1}});
    const ValueId second = net.conv_norm(first, {channels, {3, 3}, 1, {1, 1}}, "");
    const bool same = stride == 1 && net.shape(x)[1] == channels;
    // Where the shape changes, a 1x1 convolution makes the input fit (option B of the paper).
    const ValueId beside = same ? x : net.conv_norm(x, {channels, {1, 1}, stride}, "");
    return net.node("Relu", {net.node("Add", {second, beside})});
}

/// 1x1, 3x3, 1x1, the last four times as wide (figure 5 right). The 3x3 has the stride, as
/// torchvision does it; in the paper the first 1x1 has it.
ValueId bottleneck_block(Builder& net, ValueId x, std::int64_t channels, std::int64_t stride)
{
    const ValueId first = net.conv_norm(x, {channels});
    const ValueId second = net.conv_norm(first, {channels, {3, 3}, stride, {1, 1}});
    const ValueId third = net.conv_norm(second, {4 * channels}, "");
    const bool same = stride == 1 && net.shape(x)[1] == 4 * channels;
    const ValueId beside = same ? x : net.conv_norm(x, {4 * channels, {1, 1}, stride}, "");
    return net.node("Relu", {net.node("Add", {third, beside})});
}

/// He et al., table 1. `blocks`: number of blocks in each of the four stages.
BuiltInModel resnet(const std::string& name, std::array<int, 4> blocks, bool bottleneck)
{
    const auto make = [=](std::int64_t batch, std::uint64_t seed) {
        Builder net(name, seed);
        ValueId x = net.input("image", {batch, 3, 224, 224});
        x = net.conv_norm(x, {64, {7, 7}, 2, {3, 3}});
        x = net.pool(x, "MaxPool", 3, 2, 1);
        std::int64_t channels = 64;
        for (std::size_t stage = 0; stage < blocks.size(); ++stage, channels *= 2) {
            for (int block = 0; block < blocks[stage]; ++block) {
                const std::int64_t stride = stage > 0 && block == 0 ? 2 : 1;
                x = bottleneck ? bottleneck_block(net, x, channels, stride)
                               : basic_block(net, x, channels, stride);
            }
        }
        x = net.node("Flatten", {net.node("GlobalAveragePool", {x})});
        return std::move(net).finish(net.gemm(x, 1000));
    };
    return {name, "He et al., CVPR 2016, table 1", {1, 3, 224, 224}, make};
}

} // namespace

std::vector<BuiltInModel> residual_models()
{
    return {resnet("resnet-18", {2, 2, 2, 2}, false), resnet("resnet-101", {3, 4, 23, 3}, true),
            resnet("resnet-152", {3, 8, 36, 3}, true)};
}

} // namespace texelscope::networks
