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

/// A tap's number, and as many more as there are taps where it is not the largest: t + taps sign(|x - y|), and t + taps where it is padding.
std::vector<NodeKernel> lower_max_pool_taps(const NodeToLower& n)
{
    const Window window = window_of_taps(n, n.input(0));
    KernelBuilder builder = n.builder("nc");
    const Index output = builder.outputs();
    const auto rank = static_cast<std::ptrdiff_t>(window.rank);
    Index image(output.begin(), output.begin() + 2), pooled = image;
    pooled.insert(pooled.end(), output.end() - rank, output.end());
    std::vector<float> numbers; // of taps and outputs: where it is padding, as if another tap were the largest
    const Shape of_numbers(n.output().begin() + 2, n.output().end());
    for (std::size_t i = 0; i < window.rank; ++i) {
        const std::size_t d = spatial(window)[i];
        image.push_back(output[2 + window.rank + i] * window.stride[d] + output[2 + i] * window.dilation[d] -
                        window.before[d]);
    }
    const std::int64_t taps = volume(window.kernel);
    const Shape strides = row_major_strides(of_numbers);
    for (std::int64_t at = 0; at < element_count(of_numbers); ++at) {
        std::int64_t tap = 0;
        bool inside = true;
        for (std::size_t i = 0; i < window.rank; ++i) {
            const std::size_t d = spatial(window)[i];
            const std::int64_t k = at / strides[i] % of_numbers[i];
            const std::int64_t o = at / strides[window.rank + i] % of_numbers[window.rank + i];
            const std::int64_t place = window.place(d, o, k);
            tap = tap * window.kernel[d] + k;
            inside = inside && place >= 0 && place < window.in[d];
        }
        numbers.push_back(static_cast<float>(inside ? tap : tap + 2 * taps));
    }
    builder.further(n.node.inputs[0], std::move(image));
    builder.step("{0} - {1}", true, builder.further(n.node.inputs[1], std::move(pooled)));
    builder.step("fabs(sign({0})) * " + literal(static_cast<double>(taps)), true);
    builder.step("{0} + {1}", false,
                 builder.further(of_numbers, std::move(numbers), Index(output.begin() + 2, output.end())));
    return {builder.finish(output, static_cast<double>(element_count(n.output())))};
}

/// dy (1 - sign(|first - tap|)).
std::vector<NodeKernel> lower_tap_gradient(const NodeToLower& n)
{
    KernelBuilder builder = n.builder("nc");
    const Index output = builder.outputs();
    const std::size_t rank = n.input(0).size() - 2;
    Index pooled(output.begin(), output.begin() + 2);
    pooled.insert(pooled.end(), output.end() - static_cast<std::ptrdiff_t>(rank), output.end());
    const auto begin = n.output().begin() + 2;
    const Shape of_taps(begin, begin + static_cast<std::ptrdiff_t>(rank));
    std::vector<float> numbers;
    for (std::int64_t tap = 0; tap < element_count(of_taps); ++tap) {
        numbers.push_back(static_cast<float>(tap));
    }
    builder.further(n.node.inputs[1], pooled);
    builder.step("{0} - {1}", false,
                 builder.further(of_taps, std::move(numbers),
                                 Index(output.begin() + 2, output.begin() + 2 + static_cast<std::ptrdiff_t>(rank))));
    builder.step("1.0f - fabs(sign({0}))", false);
    builder.step("{0} * {1}", true, builder.further(n.node.inputs[0], std::move(pooled)));
    return {builder.finish(output, static_cast<double>(element_count(n.output())))};
}

std::vector<NodeKernel> lower_window_scatter(const NodeToLower& n)
{
    const Shape& taps = n.input(0);
    const Window window = window_of_taps(n, n.output());
    KernelBuilder builder = n.builder();
    const IndexExpr batch = builder.output("n", taps[0]);
    const IndexExpr channel = builder.output("c", taps[1]);
    TransposedWindow places = transposed_window(builder, window);
    Index output{batch, channel}, image{batch, channel};
    std::ranges::move(places.outputs, std::back_inserter(output));
    std::ranges::move(places.taps, std::back_inserter(image));
    std::ranges::move(places.inputs, std::back_inserter(image));
    builder.factor(n.node.inputs[0], std::move(image), {1, static_cast<int>(taps.size()) - 1});
    return {builder.finish(std::move(output), static_cast<double>(element_count(taps)) / 2)};
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
                  {"MaxPoolTaps", lower_max_pool_taps},
                  {"TapGradient", lower_tap_gradient},
                  {"WindowScatter", lower_window_scatter}};
    for (const char* function :
         {"Relu", "Clip", "Sigmoid", "Tanh", "Sqrt", "Reciprocal", "LeakyRelu", "Erf", "Gelu", "Elu", "Selu",
          "Softplus", "Softsign", "Abs", "HardSwish", "HardSigmoid", "ThresholdedRelu", "Sin", "Cos"}) {
        all[std::string(function) + "Gradient"] = lower_slope;
    }
    return all;
}

} // namespace texelscope::networks
