#include "networks/training/gradient_writer.hpp"

#include <cmath>

namespace texelscope::networks {
// Gradients of functions of one number and of sums, products and the like, which broadcast. dy is
// the gradient of the loss by the output.
namespace {

/// A function of one number: its operator OPGradient, of dy and of what the forward pass read, or
/// made (`from_output`). See networks/operators/gradient_operators.cpp.
GradientRule of_function(bool from_output)
{
    return [from_output](GradientWriter& w, const NodeToDerive& n) {
        const ValueId from = from_output ? n.node.outputs[0] : n.node.inputs[0];
        return std::vector{
            w.node(n.node.op + "Gradient", {n.gradients[0], from}, n.node.attributes)};
    };
}

/// For a node that broadcasts: `of(w, n, i)` writes the gradient by input i in the output's shape,
/// which is then summed over the places that the input was repeated to.
GradientRule broadcast(std::function<ValueId(GradientWriter&, const NodeToDerive&, std::size_t)> of)
{
    return [of = std::move(of)](GradientWriter& w, const NodeToDerive& n) {
        std::vector<ValueId> all(n.node.inputs.size(), no_value);
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (n.wants(i)) {
                all[i] = w.reduced_to(of(w, n, i), w.shape(n.node.inputs[i]));
            }
        }
        return all;
    };
}

/// y = a b: da = dy b and db = dy a, summed where an input was repeated.
std::vector<ValueId> of_product(GradientWriter& w, const NodeToDerive& n)
{
    const ValueId dy = n.gradients[0];
    std::vector<ValueId> all(2, no_value);
    for (std::size_t i = 0; i < all.size(); ++i) {
        const ValueId other = n.node.inputs[1 - i];
        const Shape shape = w.shape(n.node.inputs[i]);
        if (n.wants(i)) {
            // One kernel for product and sum, where both factors have the output's shape.
            all[i] = w.shape(other) == w.shape(dy)
                         ? w.product_reduced_to(dy, other, shape)
                         : w.reduced_to(w.node("Mul", {dy, other}), shape);
        }
    }
    return all;
}

/// y = a / b: da = dy / b, db = -dy y / b.
ValueId of_quotient(GradientWriter& w, const NodeToDerive& n, std::size_t i)
{
    const ValueId by = w.node("Div", {n.gradients[0], n.node.inputs[1]});
    return i == 0 ? by : w.node("Neg", {w.node("Mul", {by, n.node.outputs[0]})});
}

/// y = x^p: dx = dy p x^(p - 1), dp = dy y log x.
ValueId of_power(GradientWriter& w, const NodeToDerive& n, std::size_t i)
{
    const ValueId x = n.node.inputs[0], p = n.node.inputs[1];
    if (i == 1) {
        return w.node("Mul",
                      {w.node("Mul", {n.gradients[0], n.node.outputs[0]}), w.node("Log", {x})});
    }
    const ValueId less = w.node("Sub", {p, w.scalar(1)});
    return w.node("Mul", {w.node("Mul", {n.gradients[0], p}), w.node("Pow", {x, less})});
}

/// y = max or min of the inputs: inputs that are equal share dy equally.
std::vector<ValueId> of_largest_input(GradientWriter& w, const NodeToDerive& n)
{
    std::vector<ValueId> has_it;
    for (const ValueId input : n.node.inputs) {
        has_it.push_back(w.equal(n.node.outputs[0], input));
    }
    ValueId count = has_it.front();
    for (std::size_t i = 1; i < has_it.size(); ++i) {
        count = w.node("Add", {count, has_it[i]});
    }
    const ValueId share = w.node("Div", {n.gradients[0], count});
    std::vector<ValueId> all(has_it.size(), no_value);
    for (std::size_t i = 0; i < has_it.size(); ++i) {
        if (n.wants(i)) {
            all[i] = w.reduced_to(w.node("Mul", {share, has_it[i]}), w.shape(n.node.inputs[i]));
        }
    }
    return all;
}

/// y = max(x, 0) + s min(x, 0), where s broadcasts: dx = dy (above + (1 - above) s), with above = 1
/// where x is positive and else 0, and ds = dy min(x, 0).
std::vector<ValueId> of_prelu(GradientWriter& w, const NodeToDerive& n)
{
    const ValueId x = n.node.inputs[0], slope = n.node.inputs[1], dy = n.gradients[0];
    std::vector<ValueId> all(2, no_value);
    if (n.wants(0)) {
        // At zero the slope counts, as in PyTorch.
        const ValueId above = w.node("Max", {w.node("Sign", {x}), w.scalar(0)});
        const ValueId below = w.node("Mul", {w.node("Sub", {w.scalar(1), above}), slope});
        all[0] = w.node("Mul", {w.node("Add", {below, above}), dy});
    }
    if (n.wants(1)) {
        all[1] = w.product_reduced_to(dy, w.node("Min", {x, w.scalar(0)}), w.shape(slope));
    }
    return all;
}

} // namespace

GradientRules elementwise_gradients()
{
    const auto handed_on = [](GradientWriter&, const NodeToDerive& n, std::size_t) {
        return n.gradients[0];
    };
    const auto times = [](const char* op) {
        return [op](GradientWriter& w, const NodeToDerive& n) {
            const bool output = std::string(op) == "Mul"; // exp: dy y; log: dy / x
            return std::vector{
                w.node(op, {n.gradients[0], output ? n.node.outputs[0] : n.node.inputs[0]})};
        };
    };
    const auto negated = [](GradientWriter& w, const NodeToDerive& n) {
        return std::vector{w.node("Neg", {n.gradients[0]})};
    };
    // Constant but for steps: the gradient is zero wherever there is one.
    const auto zero = [](GradientWriter&, const NodeToDerive&) {
        return std::vector<ValueId>{no_value};
    };
    GradientRules rules{
        {"Add", broadcast(handed_on)},
        {"Sum", broadcast(handed_on)},
        {"Identity", broadcast(handed_on)},
        {"Dropout", broadcast(handed_on)},
        {"Sub", broadcast([](GradientWriter& w, const NodeToDerive& n, std::size_t i) {
             return i == 0 ? n.gradients[0] : w.node("Neg", {n.gradients[0]});
         })},
        {"Mean", broadcast([](GradientWriter& w, const NodeToDerive& n, std::size_t) {
             return w.node(
                 "Mul", {n.gradients[0], w.scalar(1 / static_cast<double>(n.node.inputs.size()))});
         })},
        {"Mul", of_product},
        {"Div", broadcast(of_quotient)},
        {"Pow", broadcast(of_power)},
        {"PRelu", of_prelu},
        {"Max", of_largest_input},
        {"Min", of_largest_input},
        {"Neg", negated},
        {"Exp", times("Mul")},
        {"Log", times("Div")},
        {"Floor", zero},
        {"Ceil", zero},
        {"Round", zero},
        {"Sign", zero},
    };
    for (const char* op : {"Relu", "Clip", "Sigmoid", "Tanh", "Sqrt", "Reciprocal"}) {
        rules[op] = of_function(true);
    }
    for (const char* op : {"LeakyRelu", "Erf", "Gelu", "Elu", "Selu", "Softplus", "Softsign", "Abs",
                           "HardSwish", "HardSigmoid", "ThresholdedRelu", "Sin", "Cos"}) {
        rules[op] = of_function(false);
    }
    return rules;
}

} // namespace texelscope::networks
