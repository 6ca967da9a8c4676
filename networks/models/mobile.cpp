#include "networks/models/builder.hpp"
#include "networks/models/models.hpp"

#include <utility>

namespace texelscope::networks {
// Networks for phones, whose 3x3 convolutions are depthwise: one filter for each channel, and a 1x1
// convolution to mix channels.
namespace {

ValueId depthwise(Builder& net, ValueId x, std::int64_t stride, const std::string& activation)
{
    const std::int64_t channels = net.shape(x)[1];
    return net.conv_norm(x, {channels, {3, 3}, stride, {1, 1}, channels}, activation);
}

ValueId classifier(Builder& net, ValueId x)
{
    return net.gemm(net.node("Flatten", {net.node("GlobalAveragePool", {x})}), 1000);
}

/// Howard et al., arXiv 1704.04861, table 1: channels of each 1x1, stride of the depthwise before.
Graph mobilenet_v1(std::int64_t batch, std::uint64_t seed)
{
    Builder net("mobilenet-v1", seed);
    ValueId x = net.input("image", {batch, 3, 224, 224});
    x = net.conv_norm(x, {32, {3, 3}, 2, {1, 1}});
    const std::vector<std::pair<std::int64_t, std::int64_t>> layers{
        {64, 1},  {128, 2}, {128, 1}, {256, 2}, {256, 1},  {512, 2}, {512, 1},
        {512, 1}, {512, 1}, {512, 1}, {512, 1}, {1024, 2}, {1024, 1}};
    for (const auto& [channels, stride] : layers) {
        x = net.conv_norm(depthwise(net, x, stride, "Relu"), {channels});
    }
    return std::move(net).finish(classifier(net, x));
}

/// Sandler et al., CVPR 2018, table 2. Stages: factor of expansion, channels, number of blocks,
/// stride of the first block.
Graph mobilenet_v2(std::int64_t batch, std::uint64_t seed)
{
    struct Stage {
        std::int64_t expansion, channels;
        int blocks;
        std::int64_t stride;
    };
    Builder net("mobilenet-v2", seed);
    ValueId x = net.input("image", {batch, 3, 224, 224});
    x = net.conv_norm(x, {32, {3, 3}, 2, {1, 1}}, "Relu6");
    for (const Stage& stage :
         {Stage{1, 16, 1, 1}, Stage{6, 24, 2, 2}, Stage{6, 32, 3, 2}, Stage{6, 64, 4, 2},
          Stage{6, 96, 3, 1}, Stage{6, 160, 3, 2}, Stage{6, 320, 1, 1}}) {
        for (int block = 0; block < stage.blocks; ++block) {
            const std::int64_t stride = block == 0 ? stage.stride : 1;
            const std::int64_t channels = net.shape(x)[1];
            ValueId y =
                stage.expansion == 1 ? x : net.conv_norm(x, {channels * stage.expansion}, "Relu6");
            // The last convolution of a block is linear (section 3.2), so it has no activation.
            y = net.conv_norm(depthwise(net, y, stride, "Relu6"), {stage.channels}, "");
            x = stride == 1 && channels == stage.channels ? net.node("Add", {x, y}) : y;
        }
    }
    x = net.conv_norm(x, {1280}, "Relu6");
    return std::move(net).finish(classifier(net, x));
}

} // namespace

std::vector<BuiltInModel> mobile_models()
{
    return {{"mobilenet-v1",
             "Howard et al., arXiv 1704.04861, table 1",
             {1, 3, 224, 224},
             mobilenet_v1},
            {"mobilenet-v2", "Sandler et al., CVPR 2018, table 2", {1, 3, 224, 224}, mobilenet_v2}};
}

} // namespace texelscope::networks
