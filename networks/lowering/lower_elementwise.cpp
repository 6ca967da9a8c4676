#include "networks/lowering/lower_families.hpp"

#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <utility>

namespace texelscope::networks {
// Functions of one number, as expressions that become steps of an epilogue. Their references are in
// networks/operators/elementwise.cpp, which tests compare them with.
namespace {

using codegen::NumberExpr;

NumberExpr clamped(const NumberExpr& number, double low, double high)
{
    return call("fmin", call("fmax", number, low), high);
}

/// 0.797884561 is sqrt(2 / pi), 0.707106781 is 1 / sqrt(2).
NumberExpr gelu(const NumberExpr& x, bool by_tanh)
{
    const NumberExpr share = by_tanh ? call("tanh", 0.797884561 * (x + 0.044715 * x * x * x)) //
                                     : call("erf", x * 0.707106781);
    return 0.5 * x * (1.0 + share);
}

/// For each operator of one number: its value, with argument 0 as the number, and whether it maps
/// zero to zero, so that padding in texels stays zero.
using ElementFunctions = std::map<std::string, std::function<ElementFunction(const Attributes&)>>;

const ElementFunctions& element_functions()
{
    static const ElementFunctions all = [] {
        const NumberExpr x = argument(0);
        ElementFunctions functions;
        const auto plain = [&](const char* op, NumberExpr value, bool keeps_zero) {
            functions[op] = [function = ElementFunction{std::move(value), keeps_zero}](
                                const Attributes&) { return function; };
        };
        plain("Identity", x, true);
        plain("Dropout", x, true);
        plain("Cast", x, true);
        plain("Sqrt", call("sqrt", x), true);
        plain("Relu", call("fmax", x, 0.0), true);
        plain("Sigmoid", 1.0 / (1.0 + call("exp", -x)), false);
        plain("Tanh", call("tanh", x), true);
        plain("Erf", call("erf", x), true);
        plain("HardSwish", x * clamped(x * 0.166666667 + 0.5, 0, 1), true);
        // log(1 + exp(x)) without overflow, as in the reference.
        plain("Softplus", call("log1p", call("exp", -call("fabs", x))) + call("fmax", x, 0.0),
              false);
        plain("Softsign", x / (1.0 + call("fabs", x)), true);
        plain("Abs", call("fabs", x), true);
        plain("Neg", -x, true);
        plain("Exp", call("exp", x), false);
        plain("Log", call("log", x), false);
        plain("Reciprocal", 1.0 / x, false);
        plain("Floor", call("floor", x), true);
        plain("Ceil", call("ceil", x), true);
        plain("Round", call("rint", x), true);
        plain("Sign", call("sign", x), true);
        plain("Sin", call("sin", x), true);
        plain("Cos", call("cos", x), false);
        functions["Clip"] = [x](const Attributes& a) {
            constexpr double most = std::numeric_limits<float>::max();
            const double low = a.real("min", -most);
            const double high = a.real("max", most);
            return ElementFunction{clamped(x, low, high), low <= 0 && high >= 0};
        };
        functions["LeakyRelu"] = [x](const Attributes& a) {
            return ElementFunction{choose(less(x, 0.0), a.real("alpha", 0.01) * x, x), true};
        };
        functions["Gelu"] = [x](const Attributes& a) {
            return ElementFunction{gelu(x, a.word("approximate", "none") == "tanh"), true};
        };
        functions["HardSigmoid"] = [x](const Attributes& a) {
            return ElementFunction{clamped(a.real("alpha", 0.2) * x + a.real("beta", 0.5), 0, 1),
                                   false};
        };
        functions["Elu"] = [x](const Attributes& a) {
            return ElementFunction{choose(less(x, 0.0), a.real("alpha", 1) * call("expm1", x), x),
                                   true};
        };
        functions["Selu"] = [x](const Attributes& a) {
            const double alpha = a.real("alpha", 1.67326319217681884765625);
            const double gamma = a.real("gamma", 1.05070102214813232421875);
            return ElementFunction{
                choose(less(x, 0.0), alpha * gamma * call("expm1", x), gamma * x), true};
        };
        functions["ThresholdedRelu"] = [x](const Attributes& a) {
            const NumberExpr zero =
                call("fmin", call("fabs", x), 0.0); // of what is no number, that
            return ElementFunction{choose(greater(x, a.real("alpha", 1)), x, zero), true};
        };
        return functions;
    }();
    return all;
}

/// The same for functions of two numbers, except gradients (slope_function()).
const std::map<std::string, ElementFunction>& pair_functions()
{
    static const std::map<std::string, ElementFunction> all = [] {
        const NumberExpr x = argument(0), y = argument(1);
        return std::map<std::string, ElementFunction>{
            {"Add", {x + y, true}},
            {"Sub", {x - y, true}},
            {"Mul", {x * y, true}},
            {"Div", {x / y, false}},
            {"Pow", {call("pow", x, y), false}},
            {"Max", {call("fmax", x, y), true}},
            {"Min", {call("fmin", x, y), true}},
            {"Sum", {x + y, true}},
            {"Mean", {x + y, true}},
            {"PRelu", {choose(less(x, 0.0), x * y, x), true}}};
    }();
    return all;
}

/// A kernel that starts with the first input and takes one step with each of the others.
std::vector<NodeKernel> of_inputs(const NodeToLower& n, const std::vector<ElementFunction>& steps)
{
    KernelBuilder builder = n.builder();
    const Index index = builder.outputs();
    for (const ValueId input : n.node.inputs) {
        builder.further(input, broadcast_index(n.graph.value(input).shape, index));
    }
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const auto& [value, keeps_zero] = steps[i];
        builder.step(value, keeps_zero, value.takes_argument(1) ? static_cast<int>(i) + 1 : -1);
    }
    // A function counts as one operation, which is half a multiply-add.
    const double operations = static_cast<double>(element_count(n.output())) / 2;
    return {builder.finish(index, operations *
                                      static_cast<double>(std::max<std::size_t>(1, steps.size())))};
}

std::vector<NodeKernel> lower_unary(const NodeToLower& n)
{
    return of_inputs(n, {*element_function(n.node)});
}

/// Folds any number of inputs from the left, in as many steps.
std::vector<NodeKernel> lower_folded(const NodeToLower& n)
{
    std::vector<ElementFunction> steps(n.node.inputs.size() - 1, *binary_function(n.node));
    if (n.node.op == "Mean") {
        steps.push_back({argument(0) * (1.0 / static_cast<double>(n.node.inputs.size())), true});
    }
    return of_inputs(n, steps);
}

} // namespace

std::optional<ElementFunction> element_function(const Node& node)
{
    const auto found = element_functions().find(node.op);
    return found == element_functions().end() ? std::nullopt
                                              : std::optional(found->second(node.attributes));
}

std::optional<ElementFunction> binary_function(const Node& node)
{
    if (node.op == "AddScaled") {
        return ElementFunction{argument(0) + node.attributes.real("scale", 1) * argument(1), true};
    }
    const auto found = pair_functions().find(node.op);
    return found == pair_functions().end() ? slope_function(node) : std::optional(found->second);
}

Lowerings elementwise_lowerings()
{
    Lowerings all;
    for (const auto& [op, function] : element_functions()) {
        all[op] = lower_unary;
    }
    for (const auto& [op, function] : pair_functions()) {
        all[op] = lower_folded;
    }
    all["AddScaled"] = lower_folded;
    return all;
}

} // namespace texelscope::networks
