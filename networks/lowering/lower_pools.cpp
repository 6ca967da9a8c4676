#include "networks/lowering/lower_families.hpp"
#include "networks/operators/window.hpp"

#include <algorithm>
#include <array>

namespace texelscope::networks {
// Pools as reductions over the places of a window: the largest, or a sum that is scaled.
namespace {

using codegen::Contraction;
using codegen::IndexExpr;

std::vector<NodeKernel> lower_pool(const NodeToLower& n)
{
    constexpr std::array letters{'d', 'h', 'w'};
    const Window window =
        window_of(n.node.attributes, n.input(0), n.node.attributes.integers("kernel_shape"));
    KernelBuilder builder = n.builder("nc");
    Index output = builder.outputs();
    Index image(output.begin(), output.begin() + 2);
    for (std::size_t d = 3 - window.rank; d < 3; ++d) {
        const IndexExpr tap = builder.reduction({'k', letters[d]}, window.kernel[d]);
        image.push_back(output[2 + d - (3 - window.rank)] * window.stride[d] +
                        tap * window.dilation[d] - window.before[d]);
    }
    const auto last = static_cast<int>(output.size()) - 1;
    builder.factor(n.node.inputs[0], std::move(image), {1, last});
    if (n.node.op == "MaxPool") {
        builder.contraction().combine = Contraction::Combine::largest;
    } else {
        // A mean divides by the places that count, which are fewer at edges where padding does not
        // count: then each output has a factor of its own, in a small constant tensor.
        std::vector<float> share =
            window_shares(window, n.node.attributes.integer("count_include_pad", 0) != 0);
        if (share.size() == 1) {
            builder.step(argument(0) * static_cast<double>(share.front()), true);
        } else {
            const Index places(output.begin() + 2, output.end());
            const Shape shape(n.output().begin() + 2, n.output().end());
            builder.step(argument(0) * argument(1), true,
                         builder.further(shape, std::move(share), places));
        }
    }
    double taps = 1;
    for (const std::int64_t extent : window.kernel) {
        taps *= static_cast<double>(extent);
    }
    return {builder.finish(std::move(output),
                           taps * static_cast<double>(element_count(n.output())) / 2)};
}

/// All of a channel is one window.
std::vector<NodeKernel> lower_global_pool(const NodeToLower& n)
{
    KernelBuilder builder = n.builder("nc");
    Index output = builder.outputs();
    const Shape& shape = n.input(0);
    Index image(output.begin(), output.begin() + 2);
    double taps = 1;
    for (std::size_t d = 2; d < shape.size(); ++d) {
        image.push_back(builder.reduction("r" + std::to_string(d), shape[d]));
        taps *= static_cast<double>(shape[d]);
    }
    const auto last = static_cast<int>(shape.size()) - 1;
    builder.factor(n.node.inputs[0], std::move(image), {1, last});
    if (n.node.op == "GlobalMaxPool") {
        builder.contraction().combine = Contraction::Combine::largest;
    } else {
        builder.step(argument(0) * (1 / taps), true);
    }
    return {builder.finish(std::move(output), static_cast<double>(element_count(shape)) / 2)};
}

/// The sum of squares as a pool along the channels; what follows are steps of the epilogue, the
/// last with the number itself.
std::vector<NodeKernel> lower_local_response(const NodeToLower& n)
{
    const LrnChannels window = lrn_channels(n.node);
    const codegen::NumberExpr x = argument(0);
    KernelBuilder builder = n.builder("nc");
    const Index output = builder.outputs();
    Index image = output;
    image[1] = image[1] + builder.reduction("k", window.size) - window.before;
    builder.factor(n.node.inputs[0], std::move(image), {1, static_cast<int>(output.size()) - 1});
    builder.contraction().term = x * x;
    const double share = window.alpha / static_cast<double>(window.size);
    builder.step(call("pow", window.bias + share * x, -window.beta), false);
    builder.step(x * argument(1), true, builder.further(n.node.inputs[0], output));
    return {builder.finish(output, static_cast<double>(window.size * element_count(n.output())))};
}

} // namespace

Lowerings pool_lowerings()
{
    return {{"MaxPool", lower_pool},
            {"AveragePool", lower_pool},
            {"GlobalAveragePool", lower_global_pool},
            {"GlobalMaxPool", lower_global_pool},
            {"LRN", lower_local_response}};
}

} // namespace texelscope::networks
