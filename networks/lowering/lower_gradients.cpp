#include "networks/lowering/lower_families.hpp"
#include "networks/operators/node_operator.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <utility>

// Kernels of the operators that only backward passes have. Their references are in
// networks/operators/gradient_operators.cpp.

namespace texelscope::networks {
namespace {

using codegen::IndexExpr;
using codegen::NumberExpr;

/// 1 where the number is positive, else 0, without a branch.
NumberExpr above_zero(const NumberExpr& number)
{
    return call("fmax", call("sign", number), 0.0);
}

/// dx from dy, which is argument 0, and from what the function made or read, argument 1. Nothing
/// for other operators.
std::optional<NumberExpr> slope(const Node& node)
{
    const NumberExpr dy = argument(0), y = argument(1);
    static const std::map<std::string, NumberExpr> plain = [&] {
        const NumberExpr size = call("fabs", y);
        return std::map<std::string, NumberExpr>{
            {"ReluGradient", dy * above_zero(y)},
            {"SigmoidGradient", dy * (y * (1.0 - y))},
            {"TanhGradient", dy * (1.0 - y * y)},
            {"SqrtGradient", dy * 0.5 / y},
            {"ReciprocalGradient", -dy * y * y},
            {"ErfGradient", dy * (1.12837917 * call("exp", -y * y))},
            {"SoftplusGradient", dy / (1.0 + call("exp", -y))},
            {"SoftsignGradient", dy / ((1.0 + size) * (1.0 + size))},
            {"AbsGradient", dy * call("sign", y)},
            {"HardSwishGradient",
             dy * ((y * 0.333333333 + 0.5) * above_zero(3.0 - size) + above_zero(y - 3.0))},
            {"SinGradient", dy * call("cos", y)},
            {"CosGradient", -dy * call("sin", y)},
        };
    }();
    if (const auto found = plain.find(node.op); found != plain.end()) {
        return found->second;
    }
    const Attributes& a = node.attributes;
    if (node.op == "ClipGradient") {
        constexpr double all = std::numeric_limits<float>::max();
        return dy * above_zero(y - a.real("min", -all)) * above_zero(a.real("max", all) - y);
    }
    if (node.op == "LeakyReluGradient") {
        return choose(less(y, 0.0), a.real("alpha", 0.01) * dy, dy);
    }
    if (node.op == "GeluGradient") {
        if (a.word("approximate", "none") == "tanh") {
            const NumberExpr t = call("tanh", 0.797884561 * (y + 0.044715 * y * y * y));
            return dy * (0.5 * (1.0 + t) +
                         0.5 * y * (1.0 - t * t) * 0.797884561 * (1.0 + 0.134145 * y * y));
        }
        return dy * (0.5 * (1.0 + call("erf", y * 0.707106781)) +
                     y * 0.39894228 * call("exp", -0.5 * y * y));
    }
    if (node.op == "EluGradient") {
        return choose(less(y, 0.0), dy * (a.real("alpha", 1) * call("exp", y)), dy);
    }
    if (node.op == "SeluGradient") {
        const double gamma = a.real("gamma", 1.05070102214813232421875);
        const double factor = gamma * a.real("alpha", 1.67326319217681884765625);
        return choose(less(y, 0.0), dy * (factor * call("exp", y)), dy * gamma);
    }
    if (node.op == "HardSigmoidGradient") {
        const double steep = a.real("alpha", 0.2);
        const NumberExpr line = (steep * y + a.real("beta", 0.5)).grouped();
        return dy * steep * above_zero(line) * above_zero(1.0 - line);
    }
    if (node.op == "ThresholdedReluGradient") {
        return dy * above_zero(y - a.real("alpha", 1));
    }
    return std::nullopt;
}

std::vector<NodeKernel> lower_slope(const NodeToLower& n)
{
    const ElementFunction function = *binary_function(n.node);
    KernelBuilder builder = n.builder();
    const Index index = builder.outputs();
    builder.further(n.node.inputs[0], index);
    builder.step(function.value, function.keeps_zero, builder.further(n.node.inputs[1], index));
    return {builder.finish(index, static_cast<double>(element_count(n.output())) / 2)};
}

/// dW as a contraction: output dimensions are those of the weights, sums go over the batch and the
/// places of dy. A depthwise convolution has one dimension for channels, of both x and dy.
std::vector<NodeKernel> lower_conv_weight_gradient(const NodeToLower& n)
{
    const Shape& x = n.input(0);
    const Shape& dy = n.input(1);
    const Window window =
        window_of(n.node.attributes, x, n.node.attributes.integers("kernel_shape"));
    const std::int64_t groups = n.node.attributes.integer("group", 1);
    const std::int64_t outputs = dy[1] / groups, inputs = x[1] / groups;
    KernelBuilder builder = n.builder();
    IndexExpr channel = 0, from = 0; // of dy, of x
    IndexExpr within = 0;
    if (groups > 1 && outputs == 1 && inputs == 1) {
        channel = from = builder.output("c", groups);
    } else if (groups > 1) {
        const IndexExpr group = builder.output("g", groups);
        channel = group * outputs + builder.output("co", outputs);
        within = builder.output("ci", inputs);
        from = group * inputs + within;
    } else {
        channel = builder.output("co", outputs);
        from = within = builder.output("ci", inputs);
    }
    Index output{channel, within};
    for (const std::size_t d : spatial(window)) {
        output.push_back(builder.output({'k', axis_letters[d]}, window.kernel[d]));
    }
    const IndexExpr batch = builder.reduction("n", x[0]);
    Index image{batch, from}, gradient{batch, channel};
    for (std::size_t i = 0; i < window.rank; ++i) {
        const std::size_t d = spatial(window)[i];
        const IndexExpr place = builder.reduction({'o', axis_letters[d]}, window.out[d]);
        gradient.push_back(place);
        image.push_back(place * window.stride[d] + output[2 + i] * window.dilation[d] -
                        window.before[d]);
    }
    const auto last = static_cast<int>(x.size()) - 1;
    builder.factor(n.node.inputs[0], std::move(image), {1, last});
    builder.factor(n.node.inputs[1], std::move(gradient), {1, last});
    // Tiles go along the channels of both: a texel of x has four input channels, one of dy four
    // output channels, and all sixteen products of the two are wanted.
    constexpr int inputs_dimension = 1;
    return {builder.finish(std::move(output), multiply_adds(n.graph, n.node), inputs_dimension)};
}

Window window_of_taps(const NodeToLower& n, const Shape& input)
{
    return window_of(n.node.attributes, input, n.node.attributes.integers("kernel_shape"));
}

/// Argmax without branches: the smallest, over the taps, of the tap's number, plus more than any
/// number of a tap where the tap does not hold the window's maximum.
std::vector<NodeKernel> lower_max_pool_tap(const NodeToLower& n)
{
    const Window window = window_of_taps(n, n.input(0));
    const Window::Extents strides = tap_strides(window);
    KernelBuilder builder = n.builder("nc");
    Index output = builder.outputs();
    Index image(output.begin(), output.begin() + 2);
    IndexExpr number = 0;
    for (std::size_t i = 0; i < window.rank; ++i) {
        const std::size_t d = spatial(window)[i];
        const IndexExpr tap = builder.reduction({'k', axis_letters[d]}, window.kernel[d]);
        image.push_back(output[2 + i] * window.stride[d] + tap * window.dilation[d] -
                        window.before[d]);
        number = number + tap * strides[d];
    }
    const auto last = static_cast<int>(output.size()) - 1;
    builder.factor(n.node.inputs[0], std::move(image), {1, last});
    builder.factor(n.node.inputs[1], output, {1, last});
    const double more = static_cast<double>(tap_number(window, volume(window.kernel) - 1) + 1);
    builder.contraction().combine = codegen::Contraction::Combine::smallest;
    builder.contraction().term =
        argument(2) + more * call("fabs", call("sign", argument(0) - argument(1)));
    builder.contraction().number = std::move(number);
    return {builder.finish(std::move(output),
                           static_cast<double>(volume(window.kernel) * element_count(n.output())))};
}

/// For each place, the sum over the windows that reach it of dy (1 - sign |chosen - tap|): the
/// second factor is 1 where the window chose the tap that lies at the place, else 0.
std::vector<NodeKernel> lower_tap_scatter(const NodeToLower& n)
{
    const Shape& dy = n.input(0);
    const Window window = window_of_taps(n, n.output());
    const Window::Extents strides = tap_strides(window);
    KernelBuilder builder = n.builder();
    const IndexExpr batch = builder.output("n", dy[0]);
    const IndexExpr channel = builder.output("c", dy[1]);
    TransposedWindow places = transposed_window(builder, window);
    Index output{batch, channel}, image{batch, channel};
    std::ranges::move(places.outputs, std::back_inserter(output));
    std::ranges::move(places.inputs, std::back_inserter(image));
    IndexExpr number = 0;
    for (std::size_t i = 0; i < window.rank; ++i) {
        number = number + places.taps[i] * strides[spatial(window)[i]];
    }
    const auto last = static_cast<int>(dy.size()) - 1;
    builder.factor(n.node.inputs[0], image, {1, last});
    builder.factor(n.node.inputs[1], std::move(image), {1, last});
    builder.contraction().term =
        argument(0) * (1.0 - call("fabs", call("sign", argument(1) - argument(2))));
    builder.contraction().number = std::move(number);
    return {builder.finish(std::move(output),
                           static_cast<double>(volume(window.kernel) * element_count(dy)))};
}

} // namespace

std::optional<ElementFunction> slope_function(const Node& node)
{
    const std::optional<NumberExpr> value = slope(node);
    if (!value) {
        return std::nullopt;
    }
    const bool keeps_zero = node.op != "SqrtGradient"; // by zero
    return ElementFunction{*value, keeps_zero};
}

Lowerings gradient_lowerings()
{
    Lowerings all{{"ConvWeightGradient", lower_conv_weight_gradient},
                  {"MaxPoolTap", lower_max_pool_tap},
                  {"TapScatter", lower_tap_scatter}};
    for (const char* function :
         {"Relu", "Clip", "Sigmoid", "Tanh", "Sqrt", "Reciprocal", "LeakyRelu", "Erf", "Gelu",
          "Elu", "Selu", "Softplus", "Softsign", "Abs", "HardSwish", "HardSigmoid",
          "ThresholdedRelu", "Sin", "Cos"}) {
        all[std::string(function) + "Gradient"] = lower_slope;
    }
    return all;
}

} // namespace texelscope::networks
