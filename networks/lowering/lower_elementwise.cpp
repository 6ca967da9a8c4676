#include "networks/lowering/lower_families.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <utility>

namespace texelscope::networks {
namespace {

std::string clamped(const std::string& number, double low, double high)
{
    return fmt::format("fmin(fmax({}, {}), {})", number, literal(low), literal(high));
}

/// Texts of functions, by operator; those with attributes are put together.
std::map<std::string, ElementFunction> plain_functions()
{
    return {
        {"Identity", {"{0}", true}},
        {"Dropout", {"{0}", true}},
        {"Sqrt", {"sqrt({0})", true}},
        {"Relu", {"fmax({0}, 0.0f)", true}},
        {"Sigmoid", {"1.0f / (1.0f + exp(-{0}))", false}},
        {"Tanh", {"tanh({0})", true}},
        {"Erf", {"erf({0})", true}},
        {"HardSwish", {"{0} * " + clamped("{0} * 0.166666667f + 0.5f", 0, 1), true}},
        {"Softplus", {"log1p(exp(-fabs({0}))) + fmax({0}, 0.0f)", false}},
        {"Softsign", {"{0} / (1.0f + fabs({0}))", true}},
        {"Abs", {"fabs({0})", true}},
        {"Neg", {"-{0}", true}},
        {"Exp", {"exp({0})", false}},
        {"Log", {"log({0})", false}},
        {"Reciprocal", {"1.0f / {0}", false}},
        {"Floor", {"floor({0})", true}},
        {"Ceil", {"ceil({0})", true}},
        {"Round", {"rint({0})", true}},
        {"Sign", {"sign({0})", true}},
        {"Sin", {"sin({0})", true}},
        {"Cos", {"cos({0})", false}},
    };
}

/// The first input, and steps with the others.
std::vector<NodeKernel> of_inputs(const NodeToLower& n, const std::vector<std::pair<std::string, bool>>& steps)
{
    KernelBuilder builder = n.builder();
    const Index index = builder.outputs();
    for (const ValueId input : n.node.inputs) {
        builder.further(input, broadcast_index(n.graph.value(input).shape, index));
    }
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const bool with_input = steps[i].first.find("{1}") != std::string::npos;
        builder.step(steps[i].first, steps[i].second, with_input ? static_cast<int>(i) + 1 : -1);
    }
    const double operations = static_cast<double>(element_count(n.output())) / 2; // half a multiply-add each
    return {builder.finish(index, operations * static_cast<double>(std::max<std::size_t>(1, steps.size())))};
}

std::vector<NodeKernel> lower_unary(const NodeToLower& n)
{
    const ElementFunction function = *element_function(n.node);
    return of_inputs(n, {{function.text, function.keeps_zero}});
}

/// Any number of inputs, one after the other.
std::vector<NodeKernel> lower_folded(const NodeToLower& n)
{
    const ElementFunction function = *binary_function(n.node);
    std::vector<std::pair<std::string, bool>> steps(n.node.inputs.size() - 1, {function.text, function.keeps_zero});
    if (n.node.op == "Mean") {
        steps.emplace_back("{0} * " + literal(1.0 / static_cast<double>(n.node.inputs.size())), true);
    }
    return of_inputs(n, steps);
}

} // namespace

std::optional<ElementFunction> element_function(const Node& node)
{
    const Attributes& a = node.attributes;
    static const std::map<std::string, ElementFunction> plain = plain_functions();
    if (const auto found = plain.find(node.op); found != plain.end()) {
        return found->second;
    }
    if (node.op == "Clip") {
        constexpr double all = std::numeric_limits<float>::max();
        const double low = a.real("min", -all);
        const double high = a.real("max", all);
        return ElementFunction{clamped("{0}", low, high), low <= 0 && high >= 0};
    }
    if (node.op == "LeakyRelu") {
        return ElementFunction{fmt::format("{{0}} < 0.0f ? {} * {{0}} : {{0}}", literal(a.real("alpha", 0.01))), true};
    }
    if (node.op == "Gelu") {
        return ElementFunction{a.word("approximate", "none") == "tanh"
                                   ? "0.5f * {0} * (1.0f + tanh(0.797884561f * ({0} + 0.044715f * {0} * {0} * {0})))"
                                   : "0.5f * {0} * (1.0f + erf({0} * 0.707106781f))",
                               true};
    }
    if (node.op == "HardSigmoid") {
        const std::string line =
            fmt::format("{} * {{0}} + {}", literal(a.real("alpha", 0.2)), literal(a.real("beta", 0.5)));
        return ElementFunction{clamped(line, 0, 1), false};
    }
    if (node.op == "Elu") {
        return ElementFunction{fmt::format("{{0}} < 0.0f ? {} * expm1({{0}}) : {{0}}", literal(a.real("alpha", 1))),
                               true};
    }
    if (node.op == "Selu") {
        const double alpha = a.real("alpha", 1.67326319217681884765625);
        const double gamma = a.real("gamma", 1.05070102214813232421875);
        return ElementFunction{
            fmt::format("{{0}} < 0.0f ? {} * expm1({{0}}) : {} * {{0}}", literal(alpha * gamma), literal(gamma)), true};
    }
    if (node.op == "ThresholdedRelu") {
        return ElementFunction{fmt::format("{{0}} > {} ? {{0}} : fmin(fabs({{0}}), 0.0f)", literal(a.real("alpha", 1))),
                               true};
    }
    return std::nullopt;
}

std::optional<ElementFunction> binary_function(const Node& node)
{
    static const std::map<std::string, ElementFunction> functions{
        {"Add", {"{0} + {1}", true}},      {"Sub", {"{0} - {1}", true}},
        {"Mul", {"{0} * {1}", true}},      {"Div", {"{0} / {1}", false}},
        {"Pow", {"pow({0}, {1})", false}}, {"Max", {"fmax({0}, {1})", true}},
        {"Min", {"fmin({0}, {1})", true}}, {"Sum", {"{0} + {1}", true}},
        {"Mean", {"{0} + {1}", true}},     {"PRelu", {"{0} < 0.0f ? {0} * {1} : {0}", true}},
    };
    if (node.op == "AddScaled") {
        return ElementFunction{fmt::format("{{0}} + {} * {{1}}", literal(node.attributes.real("scale", 1))), true};
    }
    const auto found = functions.find(node.op);
    return found == functions.end() ? slope_function(node) : std::optional(found->second);
}

Lowerings elementwise_lowerings()
{
    Lowerings all;
    for (const char* op : {"Sqrt",      "Relu",        "Clip",
                           "LeakyRelu", "Sigmoid",     "Tanh",
                           "Erf",       "Gelu",        "Elu",
                           "Selu",      "Softplus",    "Softsign",
                           "Abs",       "Neg",         "Exp",
                           "Log",       "Sign",        "Floor",
                           "Ceil",      "Round",       "Reciprocal",
                           "HardSwish", "Sin",         "Cos",
                           "Identity",  "HardSigmoid", "ThresholdedRelu",
                           "Dropout"}) {
        all[op] = lower_unary;
    }
    for (const char* op : {"Add", "Sub", "Mul", "Div", "Pow", "Max", "Min", "Sum", "Mean", "PRelu", "AddScaled"}) {
        all[op] = lower_folded;
    }
    return all;
}

} // namespace texelscope::networks
