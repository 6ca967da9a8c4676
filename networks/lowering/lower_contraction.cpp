#include "base/error.hpp"
#include "networks/lowering/lower_families.hpp"
#include "networks/operators/node_operator.hpp"
#include "networks/operators/window.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <string>

namespace texelscope::networks {
// Convolutions and matrix products as contractions: each function gives the dimensions of output
// and sum, and where each factor is read for them.
namespace {

using codegen::IndexExpr;

double multiply_adds_of(const NodeToLower& n)
{
    return multiply_adds(n.graph, n.node);
}

/// The bias: one number for each output channel.
void add_bias(KernelBuilder& builder, const NodeToLower& n, const IndexExpr& channel)
{
    if (n.has(2)) {
        const int bias = builder.further(n.node.inputs[2], {channel});
        builder.step(argument(0) + argument(1), false, bias);
    }
}

/// Groups of input and output channels. A depthwise convolution, where every channel is a group
/// with one output, needs no dimension for channels within a group.
struct Groups {
    std::int64_t count = 1;
    std::int64_t inputs = 1;  ///< of one group
    std::int64_t outputs = 1; ///< of one group

    [[nodiscard]] bool depthwise() const { return inputs == 1 && outputs == 1; }
};

std::vector<NodeKernel> lower_conv(const NodeToLower& n)
{
    const Shape& x = n.input(0);
    const Shape& w = n.input(1);
    const Window window = window_of(n.node.attributes, x, {w.begin() + 2, w.end()});
    const Groups groups{n.node.attributes.integer("group", 1), w[1],
                        w[0] / n.node.attributes.integer("group", 1)};
    const auto last = static_cast<int>(x.size()) - 1;
    KernelBuilder builder = n.builder();
    const IndexExpr batch = builder.output("n", x[0]);
    IndexExpr group = 0;
    IndexExpr channel = 0; // of the output
    if (groups.depthwise()) {
        channel = builder.output("c", groups.count);
    } else if (groups.count > 1) {
        group = builder.output("g", groups.count);
        channel = group * groups.outputs + builder.output("co", groups.outputs);
    } else {
        channel = builder.output("co", groups.outputs);
    }
    Index output{batch, channel};
    Index places;
    Index taps;
    for (const std::size_t d : spatial(window)) {
        output.push_back(builder.output({'o', axis_letters[d]}, window.out[d]));
    }
    for (const std::size_t d : spatial(window)) {
        taps.push_back(builder.reduction({'k', axis_letters[d]}, window.kernel[d]));
        const IndexExpr& at = output[2 + d - (3 - window.rank)];
        places.push_back(at * window.stride[d] + taps.back() * window.dilation[d] -
                         window.before[d]);
    }
    const IndexExpr summed =
        groups.depthwise() ? IndexExpr(0) : builder.reduction("ci", groups.inputs);
    Index image{batch, groups.depthwise() ? channel
                       : groups.count > 1 ? group * groups.inputs + summed
                                          : summed};
    image.insert(image.end(), places.begin(), places.end());
    Index weights{channel, summed};
    weights.insert(weights.end(), taps.begin(), taps.end());
    builder.factor(n.node.inputs[0], std::move(image),
                   groups.depthwise() ? KernelBuilder::Roles{1, last}
                                      : KernelBuilder::Roles{last, 1});
    builder.factor(n.node.inputs[1], std::move(weights),
                   groups.depthwise() ? KernelBuilder::Roles{0, last} : KernelBuilder::Roles{0, 1});
    add_bias(builder, n, channel);
    return {builder.finish(std::move(output), multiply_adds_of(n))};
}

/// The inverse of `number` modulo `modulus`: the number below `modulus` whose product with it
/// leaves the remainder 1. The two have no common divisor.
std::int64_t inverse_of(std::int64_t number, std::int64_t modulus)
{
    std::int64_t inverse = 1;
    while (modulus > 1 && number * inverse % modulus != 1) {
        ++inverse;
    }
    return inverse;
}

/// Like the gradient of a convolution by its input. Each output sums the inputs that reach it
/// (gathers) where the definition adds each input to several outputs, so no two work-items write
/// the same place.
std::vector<NodeKernel> lower_conv_transpose(const NodeToLower& n)
{
    const Shape& x = n.input(0);
    const Shape& w = n.input(1);
    const Window window = transposed_window_of(n.node.attributes, x, {w.begin() + 2, w.end()});
    const std::int64_t count = n.node.attributes.integer("group", 1);
    const Groups groups{count, w[0] / count, w[1]};
    const auto last = static_cast<int>(x.size()) - 1;
    KernelBuilder builder = n.builder();
    const IndexExpr batch = builder.output("n", x[0]);
    const IndexExpr group = count > 1 ? builder.output("g", count) : IndexExpr(0);
    const IndexExpr within = builder.output("co", groups.outputs);
    const IndexExpr channel = count > 1 ? group * groups.outputs + within : within;
    TransposedWindow places = transposed_window(builder, window);
    Index output{batch, channel};
    std::ranges::move(places.outputs, std::back_inserter(output));
    Index image{batch, 0};
    std::ranges::move(places.inputs, std::back_inserter(image));
    const IndexExpr summed = builder.reduction("ci", groups.inputs);
    image[1] = count > 1 ? group * groups.inputs + summed : summed;
    Index weights{image[1], within};
    std::ranges::move(places.taps, std::back_inserter(weights));
    builder.factor(n.node.inputs[0], std::move(image), {last, 1});
    builder.factor(n.node.inputs[1], std::move(weights), {1, 0});
    add_bias(builder, n, channel);
    return {builder.finish(std::move(output), multiply_adds_of(n))};
}

std::vector<NodeKernel> lower_gemm(const NodeToLower& n)
{
    const Attributes& a = n.node.attributes;
    const bool transposed_a = a.integer("transA", 0) != 0;
    const bool transposed_b = a.integer("transB", 0) != 0;
    KernelBuilder builder = n.builder("mn");
    Index output = builder.outputs();
    const IndexExpr k = builder.reduction("k", n.input(0)[transposed_a ? 0 : 1]);
    builder.factor(n.node.inputs[0], transposed_a ? Index{k, output[0]} : Index{output[0], k},
                   transposed_a ? KernelBuilder::Roles{1, 0} : KernelBuilder::Roles{0, 1});
    builder.factor(n.node.inputs[1], transposed_b ? Index{output[1], k} : Index{k, output[1]},
                   transposed_b ? KernelBuilder::Roles{0, 1} : KernelBuilder::Roles{1, 0});
    if (const double alpha = a.real("alpha", 1); alpha != 1) {
        builder.step(argument(0) * alpha, true);
    }
    const double beta = a.real("beta", 1);
    if (n.has(2) && beta != 0) {
        const int c = builder.further(n.node.inputs[2], broadcast_index(n.input(2), output));
        builder.step(argument(0) + (beta == 1 ? argument(1) : beta * argument(1)), false, c);
    }
    return {builder.finish(std::move(output), multiply_adds_of(n))};
}

/// Stacks of matrices that broadcast; a vector is one row on the left, or one column on the right,
/// and has no dimension in the output.
std::vector<NodeKernel> lower_matmul(const NodeToLower& n)
{
    const Shape& a = n.input(0);
    const Shape& b = n.input(1);
    KernelBuilder builder = n.builder();
    Index output = builder.outputs();
    const bool row = a.size() == 1;
    const bool column = b.size() == 1;
    const std::size_t batch = output.size() - (row ? 0 : 1) - (column ? 0 : 1);
    const IndexExpr k = builder.reduction("k", a.back());
    // The dimensions of a stack in front of its `matrix` last ones, aligned with the output's.
    const auto stack = [&](const Shape& shape, std::size_t matrix) {
        Index index;
        for (std::size_t d = 0; d + matrix < shape.size(); ++d) {
            index.push_back(shape[d] == 1 ? IndexExpr(0)
                                          : output[batch + d - (shape.size() - matrix)]);
        }
        return index;
    };
    Index left = stack(a, row ? 1 : 2);
    if (!row) {
        left.push_back(output[batch]);
    }
    left.push_back(k);
    Index right = stack(b, column ? 1 : 2);
    right.push_back(k);
    if (!column) {
        right.push_back(output.back());
    }
    const auto last_a = static_cast<int>(a.size()) - 1;
    const auto last_b = static_cast<int>(b.size()) - 1;
    builder.factor(n.node.inputs[0], std::move(left), {last_a - 1, last_a});
    builder.factor(n.node.inputs[1], std::move(right),
                   column ? KernelBuilder::Roles{-1, 0} : KernelBuilder::Roles{last_b, last_b - 1});
    return {builder.finish(std::move(output), multiply_adds_of(n))};
}

} // namespace

std::vector<std::size_t> spatial(const Window& window)
{
    std::vector<std::size_t> dims;
    for (std::size_t d = 3 - window.rank; d < 3; ++d) {
        dims.push_back(d);
    }
    return dims;
}

TransposedWindow transposed_window(KernelBuilder& builder, const Window& window)
{
    TransposedWindow places;
    Index phases, wholes;
    for (const std::size_t d : spatial(window)) {
        // Otherwise some phases would have no tap at all and others several; see below.
        if (std::gcd(window.dilation[d], window.stride[d]) != 1) {
            throw bad_input("no kernel computes a transposed convolution whose stride and dilation "
                            "have a common divisor",
                            "dilation " + std::to_string(window.dilation[d]));
        }
    }
    for (const std::size_t d : spatial(window)) {
        phases.push_back(window.stride[d] > 1
                             ? builder.output({'p', axis_letters[d]}, window.stride[d])
                             : IndexExpr(0));
    }
    for (const std::size_t d : spatial(window)) {
        wholes.push_back(builder.output({'q', axis_letters[d]},
                                        codegen::ceil_div(window.in[d], window.stride[d])));
    }
    for (std::size_t i = 0; i < wholes.size(); ++i) {
        const std::size_t d = spatial(window)[i];
        const std::int64_t stride = window.stride[d];
        const IndexExpr j =
            builder.reduction({'j', axis_letters[d]}, codegen::ceil_div(window.kernel[d], stride));
        // An output at v reads the pairs of input o and tap k with v + before = o * stride + k *
        // dilation. With v = stride * q + phase and shifted = phase + before, that needs k
        // congruent to shifted / dilation modulo stride, which is `first`; so k = first + j *
        // stride, and o = q + (shifted - k * dilation) / stride. All taps of one phase are then j =
        // 0, 1, ..., without any test.
        const std::int64_t dilation = window.dilation[d];
        const IndexExpr shifted = phases[i] + window.before[d];
        const IndexExpr first = mod(shifted * inverse_of(dilation, stride), stride);
        places.taps.push_back(j * stride + first);
        places.inputs.push_back(wholes[i] + floor_div(shifted - first * dilation, stride) -
                                j * dilation);
        places.outputs.push_back(wholes[i] * stride + phases[i]);
    }
    return places;
}

Lowerings contraction_lowerings()
{
    return {{"Conv", lower_conv},
            {"ConvTranspose", lower_conv_transpose},
            {"Gemm", lower_gemm},
            {"MatMul", lower_matmul}};
}

} // namespace texelscope::networks
