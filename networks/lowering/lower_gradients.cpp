#include "networks/lowering/lower_families.hpp"
#include "networks/operators/node_operator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

// Operators that only backward passes have.

namespace texelscope::networks {
namespace {

using codegen::IndexExpr;

/// Texts of dx from {0} dy and {1} what the function made or read.
std::map<std::string, ElementFunction> slope_texts()
{
    return {
        {"ReluGradient", {"{0} * fmax(sign({1}), 0.0f)", true}},
        {"SigmoidGradient", {"{0} * ({1} * (1.0f - {1}))", true}},
        {"TanhGradient", {"{0} * (1.0f - {1} * {1})", true}},
        {"SqrtGradient", {"{0} * 0.5f / {1}", false}},
        {"ReciprocalGradient", {"-{0} * {1} * {1}", true}},
        {"ErfGradient", {"{0} * (1.12837917f * exp(-{1} * {1}))", true}},
        {"SoftplusGradient", {"{0} / (1.0f + exp(-{1}))", true}},
        {"SoftsignGradient", {"{0} / ((1.0f + fabs({1})) * (1.0f + fabs({1})))", true}},
        {"AbsGradient", {"{0} * sign({1})", true}},
        {"HardSwishGradient",
         {"{0} * (({1} * 0.333333333f + 0.5f) * fmax(sign(3.0f - fabs({1})), 0.0f) + fmax(sign({1} - 3.0f), 0.0f))",
          true}},
        {"SinGradient", {"{0} * cos({1})", true}},
        {"CosGradient", {"-{0} * sin({1})", true}},
    };
}

std::string above(const std::string& number)
{
    return "fmax(sign(" + number + "), 0.0f)";
}

/// Its text where attributes decide; empty for other operators.
std::string slope_text(const Node& node)
{
    const Attributes& a = node.attributes;
    if (node.op == "ClipGradient") {
        constexpr double all = std::numeric_limits<float>::max();
        return fmt::format("{{0}} * {} * {}", above("{1} - " + literal(a.real("min", -all))),
                           above(literal(a.real("max", all)) + " - {1}"));
    }
    if (node.op == "LeakyReluGradient") {
        return fmt::format("{{1}} < 0.0f ? {} * {{0}} : {{0}}", literal(a.real("alpha", 0.01)));
    }
    if (node.op == "GeluGradient") {
        if (a.word("approximate", "none") == "tanh") {
            const std::string t = "tanh(0.797884561f * ({1} + 0.044715f * {1} * {1} * {1}))";
            return "{0} * (0.5f * (1.0f + " + t + ") + 0.5f * {1} * (1.0f - " + t + " * " + t +
                   ") * 0.797884561f * (1.0f + 0.134145f * {1} * {1}))";
        }
        return "{0} * (0.5f * (1.0f + erf({1} * 0.707106781f)) + {1} * 0.39894228f * exp(-0.5f * {1} * {1}))";
    }
    if (node.op == "EluGradient") {
        return fmt::format("{{1}} < 0.0f ? {{0}} * ({} * exp({{1}})) : {{0}}", literal(a.real("alpha", 1)));
    }
    if (node.op == "SeluGradient") {
        const double gamma = a.real("gamma", 1.05070102214813232421875);
        return fmt::format("{{1}} < 0.0f ? {{0}} * ({} * exp({{1}})) : {{0}} * {}",
                           literal(gamma * a.real("alpha", 1.67326319217681884765625)), literal(gamma));
    }
    if (node.op == "HardSigmoidGradient") {
        const double slope = a.real("alpha", 0.2);
        const std::string line = fmt::format("({} * {{1}} + {})", literal(slope), literal(a.real("beta", 0.5)));
        return fmt::format("{{0}} * {} * {} * {}", literal(slope), above(line), above("1.0f - " + line));
    }
    if (node.op == "ThresholdedReluGradient") {
        return "{0} * " + above("{1} - " + literal(a.real("alpha", 1)));
    }
    return {};
}

std::vector<NodeKernel> lower_slope(const NodeToLower& n)
{
    const ElementFunction function = *binary_function(n.node);
    KernelBuilder builder = n.builder();
    const Index index = builder.outputs();
    builder.further(n.node.inputs[0], index);
    builder.step(function.text, function.keeps_zero, builder.further(n.node.inputs[1], index));
    return {builder.finish(index, static_cast<double>(element_count(n.output())) / 2)};
}

/// Sums over the batch and the outputs.
std::vector<NodeKernel> lower_conv_weight_gradient(const NodeToLower& n)
{
    const Shape& x = n.input(0);
    const Shape& dy = n.input(1);
    const Window window = window_of(n.node.attributes, x, n.node.attributes.integers("kernel_shape"));
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
        image.push_back(place * window.stride[d] + output[2 + i] * window.dilation[d] - window.before[d]);
    }
    const auto last = static_cast<int>(x.size()) - 1;
    builder.factor(n.node.inputs[0], std::move(image), {1, last});
    builder.factor(n.node.inputs[1], std::move(gradient), {1, last});
    // Tiles of channels of both: a texel of x has four inputs, one of dy four outputs, and all their products are wanted.
    constexpr int inputs_dimension = 1;
    return {builder.finish(std::move(output), multiply_adds(n.graph, n.node), inputs_dimension)};
}

Window window_of_taps(const NodeToLower& n, const Shape& input)
{
    return window_of(n.node.attributes, input, n.node.attributes.integers("kernel_shape"));
}

/// The smallest of the numbers of taps, with more than all of them where the tap has not the window's number.
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
        image.push_back(output[2 + i] * window.stride[d] + tap * window.dilation[d] - window.before[d]);
        number = number + tap * strides[d];
    }
    const auto last = static_cast<int>(output.size()) - 1;
    builder.factor(n.node.inputs[0], std::move(image), {1, last});
    builder.factor(n.node.inputs[1], output, {1, last});
    const double more = static_cast<double>(tap_number(window, volume(window.kernel) - 1) + 1);
    builder.contraction().combine = codegen::Contraction::Combine::smallest;
    builder.contraction().term = "{2} + " + literal(more) + " * fabs(sign({0} - {1}))";
    builder.contraction().number = std::move(number);
    return {builder.finish(std::move(output), static_cast<double>(volume(window.kernel) * element_count(n.output())))};
}

/// The sum of what goes to a place: dy (1 - sign |first - tap|) of each tap of a window that lies there.
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
    builder.contraction().term = "{0} * (1.0f - fabs(sign({1} - {2})))";
    builder.contraction().number = std::move(number);
    return {builder.finish(std::move(output), static_cast<double>(volume(window.kernel) * element_count(dy)))};
}

} // namespace

std::optional<ElementFunction> slope_function(const Node& node)
{
    static const std::map<std::string, ElementFunction> plain = slope_texts();
    if (const auto found = plain.find(node.op); found != plain.end()) {
        return found->second;
    }
    std::string text = slope_text(node);
    return text.empty() ? std::nullopt : std::optional(ElementFunction{std::move(text), true});
}

Lowerings gradient_lowerings()
{
    Lowerings all{{"ConvWeightGradient", lower_conv_weight_gradient},
                  {"MaxPoolTap", lower_max_pool_tap},
                  {"TapScatter", lower_tap_scatter}};
    for (const char* function :
         {"Relu", "Clip", "Sigmoid", "Tanh", "Sqrt", "Reciprocal", "LeakyRelu", "Erf", "Gelu", "Elu", "Selu",
          "Softplus", "Softsign", "Abs", "HardSwish", "HardSigmoid", "ThresholdedRelu", "Sin", "Cos"}) {
        all[std::string(function) + "Gradient"] = lower_slope;
    }
    return all;
}

} // namespace texelscope::networks
