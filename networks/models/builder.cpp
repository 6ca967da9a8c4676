#include "networks/models/builder.hpp"

#include "base/random.hpp"
#include "networks/operators/node_operator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

namespace texelscope::networks {
namespace {

/// ONNX's pads: the numbers in front of rows and columns, then those behind. `less_in_front`: of
/// the padding in front, for networks whose padding is not symmetric.
std::vector<std::int64_t> padding(std::array<std::int64_t, 2> pad, std::int64_t less_in_front)
{
    return {pad[0] - less_in_front, pad[1] - less_in_front, pad[0], pad[1]};
}

} // namespace

Builder::Builder(std::string name, std::uint64_t seed) : random_(seed)
{
    graph_.name = std::move(name);
}

ValueId Builder::input(std::string name, Shape shape)
{
    graph_.inputs.push_back(graph_.add_value(std::move(name), std::move(shape)));
    return graph_.inputs.back();
}

Graph Builder::finish(ValueId output) &&
{
    graph_.outputs = {output};
    return std::move(graph_);
}

std::string Builder::layer(const std::string& op)
{
    std::string name = op;
    // Names count the layers of each operator: conv_1, conv_2, relu_1 and so on.
    std::ranges::transform(name, name.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return fmt::format("{}_{}", name, ++counts_[op]);
}

ValueId Builder::weights(const std::string& role, Shape shape, double range)
{
    std::vector<float> values(static_cast<std::size_t>(element_count(shape)));
    for (float& value : values) {
        value = static_cast<float>(range * (2 * uniform_real(random_) - 1));
    }
    return constant(role, std::move(shape), std::move(values));
}

ValueId Builder::constant(const std::string& role, Shape shape, std::vector<float> values)
{
    return graph_.add_constant(fmt::format("{}_{}", role, ++counts_[role]), std::move(shape),
                               std::move(values));
}

ValueId Builder::node(const std::string& op, std::vector<ValueId> inputs, Attributes attributes)
{
    Node node{layer(op), op, std::move(inputs), {no_value}, std::move(attributes)};
    const Shape shape = output_shapes(graph_, node).front();
    node.outputs = {graph_.add_value(node.name + "_out", shape)};
    graph_.nodes.push_back(std::move(node));
    return graph_.nodes.back().outputs.front();
}

ValueId Builder::conv(ValueId x, const Conv& conv)
{
    const std::int64_t channels = shape(x)[1] / conv.groups;
    const double fan_in = static_cast<double>(channels * conv.kernel[0] * conv.kernel[1]);
    // Uniform in +-sqrt(6 / inputs): its variance of 2 / inputs keeps the size of numbers from
    // layer to layer behind a ReLU (He et al., ICCV 2015, equation 10).
    std::vector<ValueId> inputs{x, weights("conv_weight",
                                           {conv.outputs, channels, conv.kernel[0], conv.kernel[1]},
                                           std::sqrt(6 / fan_in))};
    if (conv.bias) {
        inputs.push_back(weights("conv_bias", {conv.outputs}, 0.1));
    }
    Attributes attributes;
    attributes.set("kernel_shape", std::vector{conv.kernel[0], conv.kernel[1]});
    attributes.set("strides", std::vector{conv.stride, conv.stride});
    attributes.set("pads", padding(conv.pad, conv.less_in_front));
    attributes.set("group", conv.groups);
    return node("Conv", std::move(inputs), std::move(attributes));
}

ValueId Builder::batch_norm(ValueId x)
{
    const Shape channels{shape(x)[1]};
    // Numbers near those of a layer that does nothing, so that features neither vanish nor explode.
    const auto near = [&](const char* role, double middle, double range) {
        std::vector<float> values(static_cast<std::size_t>(channels.front()));
        for (float& value : values) {
            value = static_cast<float>(middle + range * (2 * uniform_real(random_) - 1));
        }
        return constant(role, channels, std::move(values));
    };
    const ValueId scale = near("norm_scale", 1, 0.2);
    const ValueId bias = near("norm_bias", 0, 0.1);
    const ValueId mean = near("norm_mean", 0, 0.1);
    const ValueId variance = near("norm_variance", 1, 0.2);
    return node("BatchNormalization", {x, scale, bias, mean, variance});
}

ValueId Builder::conv_norm(ValueId x, const Conv& how, const std::string& activation)
{
    const ValueId normed = batch_norm(conv(x, how));
    return activation.empty()      ? normed
           : activation == "Relu6" ? relu6(normed)
                                   : node(activation, {normed});
}

ValueId Builder::relu6(ValueId x)
{
    Attributes attributes;
    attributes.set("min", 0.0);
    attributes.set("max", 6.0);
    return node("Clip", {x}, std::move(attributes));
}

ValueId Builder::layer_norm(ValueId x)
{
    const Shape last{shape(x).back()};
    const ValueId scale = constant(
        "layer_scale", last, std::vector<float>(static_cast<std::size_t>(last.front()), 1.0F));
    const ValueId bias = weights("layer_bias", last, 0.1);
    Attributes attributes;
    attributes.set("axis", std::int64_t{-1});
    return node("LayerNormalization", {x, scale, bias}, std::move(attributes));
}

ValueId Builder::dense(ValueId x, std::int64_t outputs)
{
    const std::int64_t inputs = shape(x).back();
    // Variance of 1 / inputs, as no ReLU need follow.
    const ValueId weight =
        weights("dense_weight", {inputs, outputs}, std::sqrt(3 / static_cast<double>(inputs)));
    const ValueId product = node("MatMul", {x, weight});
    return node("Add", {product, weights("dense_bias", {outputs}, 0.1)});
}

ValueId Builder::gemm(ValueId x, std::int64_t outputs)
{
    const std::int64_t inputs = shape(x).back();
    const ValueId weight =
        weights("gemm_weight", {outputs, inputs}, std::sqrt(3 / static_cast<double>(inputs)));
    Attributes attributes;
    attributes.set("transB", std::int64_t{1});
    return node("Gemm", {x, weight, weights("gemm_bias", {outputs}, 0.1)}, std::move(attributes));
}

ValueId Builder::pool(ValueId x, const std::string& op, std::int64_t kernel, std::int64_t stride,
                      std::int64_t pad, bool ceil, std::int64_t less_in_front)
{
    Attributes attributes;
    attributes.set("kernel_shape", std::vector{kernel, kernel});
    attributes.set("strides", std::vector{stride, stride});
    attributes.set("pads", padding({pad, pad}, less_in_front));
    if (ceil) {
        attributes.set("ceil_mode", std::int64_t{1});
    }
    return node(op, {x}, std::move(attributes));
}

ValueId Builder::reshape(ValueId x, Shape to)
{
    Attributes attributes;
    attributes.set("shape", std::move(to));
    return node("Reshape", {x}, std::move(attributes));
}

ValueId Builder::transpose(ValueId x, std::vector<std::int64_t> order)
{
    Attributes attributes;
    attributes.set("perm", std::move(order));
    return node("Transpose", {x}, std::move(attributes));
}

} // namespace texelscope::networks
