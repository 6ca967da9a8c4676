#include "base/error.hpp"
#include "networks/training/gradient_writer.hpp"

#include <limits>

namespace texelscope::networks {
// Gradients of reductions and normalisations. In the comments dy is the gradient of the loss by the
// node's output; what is given is the gradient by its input, as nodes that are appended.
namespace {

/// The axes of a reduction; `kept`: the input's shape with one place along each of them, to which
/// dy is reshaped so that it broadcasts; `count`: how many numbers each output is made of.
struct Reduced {
    std::vector<std::int64_t> axes;
    Shape kept;
    double count = 1;
};
Reduced reduced_of(const Node& node, const Shape& shape)
{
    Reduced all;
    std::vector<std::int64_t> axes = node.attributes.integers("axes");
    if (axes.empty() && node.attributes.integer("noop_with_empty_axes", 0) == 0) {
        for (std::size_t d = 0; d < shape.size(); ++d) {
            axes.push_back(static_cast<std::int64_t>(d));
        }
    }
    all.kept = shape;
    for (const std::int64_t axis : axes) {
        const std::size_t d = axis_in(axis, shape.size());
        all.axes.push_back(static_cast<std::int64_t>(d));
        all.count *= static_cast<double>(shape[d]);
        all.kept[d] = 1;
    }
    return all;
}

/// The value repeated to that shape, or itself where it has it.
ValueId expanded(GradientWriter& w, ValueId value, const Shape& shape)
{
    Attributes to;
    to.set("shape", shape);
    return w.shape(value) == shape ? value : w.node("Expand", {value}, std::move(to));
}

/// y = sum, or mean, of x: dy at every place, divided by their number for a mean.
GradientRule of_sum(bool mean)
{
    return [mean](GradientWriter& w, const NodeToDerive& n) {
        const Shape shape = w.shape(n.node.inputs[0]);
        const Reduced reduced = reduced_of(n.node, shape);
        ValueId gradient = w.reshaped(n.gradients[0], reduced.kept);
        gradient = mean ? w.node("Mul", {gradient, w.scalar(1 / reduced.count)}) : gradient;
        return std::vector{expanded(w, gradient, shape)};
    };
}

/// y = sum of a b: dy b and dy a.
std::vector<ValueId> of_sum_of_products(GradientWriter& w, const NodeToDerive& n)
{
    const Reduced reduced = reduced_of(n.node, w.shape(n.node.inputs[0]));
    const ValueId dy = w.reshaped(n.gradients[0], reduced.kept);
    std::vector<ValueId> all(2, no_value);
    for (std::size_t i = 0; i < all.size(); ++i) {
        all[i] = n.wants(i) ? w.node("Mul", {n.node.inputs[1 - i], dy}) : no_value;
    }
    return all;
}

/// y = sum of x^2: 2 x dy.
std::vector<ValueId> of_sum_of_squares(GradientWriter& w, const NodeToDerive& n)
{
    const Reduced reduced = reduced_of(n.node, w.shape(n.node.inputs[0]));
    const ValueId twice = w.node("Mul", {w.reshaped(n.gradients[0], reduced.kept), w.scalar(2)});
    return {w.node("Mul", {n.node.inputs[0], twice})};
}

/// y = sum of |x|: dy sign(x).
std::vector<ValueId> of_sum_of_sizes(GradientWriter& w, const NodeToDerive& n)
{
    const Reduced reduced = reduced_of(n.node, w.shape(n.node.inputs[0]));
    return {w.node("Mul",
                   {w.node("Sign", {n.node.inputs[0]}), w.reshaped(n.gradients[0], reduced.kept)})};
}

/// y^2 = sum of x^2: dy x / y, and 0 where all x are 0.
std::vector<ValueId> of_norm(GradientWriter& w, const NodeToDerive& n)
{
    const ValueId x = n.node.inputs[0];
    const Reduced reduced = reduced_of(n.node, w.shape(x));
    const ValueId dy = w.reshaped(n.gradients[0], reduced.kept),
                  y = w.reshaped(n.node.outputs[0], reduced.kept);
    // The smallest normal number, since a device may take smaller ones for zero. Where y is 0, x is
    // 0 too, and so is the quotient.
    constexpr double smallest = std::numeric_limits<float>::min();
    return {w.node("Mul", {x, w.node("Div", {dy, w.node("Max", {y, w.scalar(smallest)})})})};
}

/// y = product of x: dy y / x, which is not a number where x is 0.
std::vector<ValueId> of_product_along(GradientWriter& w, const NodeToDerive& n)
{
    const ValueId x = n.node.inputs[0];
    const Reduced reduced = reduced_of(n.node, w.shape(x));
    const ValueId dy = w.reshaped(n.gradients[0], reduced.kept),
                  y = w.reshaped(n.node.outputs[0], reduced.kept);
    return {w.node("Div", {w.node("Mul", {dy, y}), x})};
}

/// y = log of the sum of x: dy / exp(y).
std::vector<ValueId> of_log_of_sum(GradientWriter& w, const NodeToDerive& n)
{
    const Shape shape = w.shape(n.node.inputs[0]);
    const ValueId each = w.node("Div", {n.gradients[0], w.node("Exp", {n.node.outputs[0]})});
    return {expanded(w, w.reshaped(each, reduced_of(n.node, shape).kept), shape)};
}

/// y = largest or smallest x: all places that hold this number share dy equally.
std::vector<ValueId> of_extreme(GradientWriter& w, const NodeToDerive& n)
{
    const ValueId x = n.node.inputs[0];
    const Reduced reduced = reduced_of(n.node, w.shape(x));
    const ValueId has_it = w.equal(x, w.reshaped(n.node.outputs[0], reduced.kept));
    const ValueId share =
        w.node("Div", {w.reshaped(n.gradients[0], reduced.kept), w.summed(has_it, reduced.axes)});
    return {w.node("Mul", {has_it, share})};
}

/// 1 / sqrt(variance + epsilon) of a normalisation.
ValueId inverse_deviation(GradientWriter& w, const Node& node, ValueId variance)
{
    const ValueId raised =
        w.node("Add", {variance, w.scalar(node.attributes.real("epsilon", 1e-5))});
    return w.node("Reciprocal", {w.node("Sqrt", {raised})});
}

/// Over the axes, y = h s + b with h = (x - mean) i and i = 1 / sqrt(variance + epsilon). So ds =
/// sum of dy h, db = sum of dy, and with g = dy s, dx = i (g - mean of g - h mean of (g h)). The
/// forward pass keeps neither mean nor i where one kernel computes it, so both are computed anew.
std::vector<ValueId> of_layer_normalization(GradientWriter& w, const NodeToDerive& n)
{
    const ValueId x = n.node.inputs[0], scale = n.node.inputs[1], dy = n.gradients[0];
    std::vector<std::int64_t> axes;
    for (std::size_t d = axis_in(n.node.attributes.integer("axis", -1), w.shape(x).size());
         d < w.shape(x).size(); ++d) {
        axes.push_back(static_cast<std::int64_t>(d));
    }
    const auto mean = [&](ValueId value) { return w.summed(value, axes, "ReduceMean"); };
    double count = 1;
    for (const std::int64_t axis : axes) {
        count *= static_cast<double>(w.shape(x)[static_cast<std::size_t>(axis)]);
    }
    const auto mean_product = [&](ValueId a, ValueId b) {
        return w.node("Mul", {w.summed_product(a, b, axes), w.scalar(1 / count)});
    };
    const ValueId centred = w.node("Sub", {x, mean(x)});
    const ValueId squares = w.summed(centred, axes, "ReduceSumSquare");
    const ValueId variance = w.node("Mul", {squares, w.scalar(1 / count)});
    const ValueId inverse = inverse_deviation(w, n.node, variance);
    const ValueId normal = w.node("Mul", {centred, inverse});
    std::vector<ValueId> all(3, no_value);
    if (n.wants(0)) {
        const ValueId g = w.node("Mul", {dy, scale});
        const ValueId along = w.node("Mul", {normal, mean_product(g, normal)});
        all[0] = w.node("Mul", {w.node("Sub", {w.node("Sub", {g, mean(g)}), along}), inverse});
    }
    if (n.wants(1)) {
        all[1] = w.product_reduced_to(dy, normal, w.shape(scale));
    }
    if (n.wants(2)) {
        all[2] = w.reduced_to(dy, w.shape(n.node.inputs[2]));
    }
    return all;
}

/// dx of a batch normalisation whose input x has a mean of zero, of which that mean and the
/// variance were taken: with i = 1 / sqrt(variance + epsilon), db = sum of dy, ds = i sum of dy x,
/// and n numbers in a channel, dx = s i (dy - db / n - x i ds / n). The last two terms are what dx
/// gets because mean and variance depend on x themselves.
ValueId of_centred_batch(GradientWriter& w, ValueId x, ValueId dy, ValueId inverse, ValueId scale,
                         ValueId ds, ValueId db)
{
    const double count =
        static_cast<double>(element_count(w.shape(x))) / static_cast<double>(w.shape(x)[1]);
    const ValueId along = w.node("Mul", {w.node("Mul", {ds, inverse}), w.scalar(-1 / count)});
    const ValueId sum = w.node("Add", {w.node("Mul", {x, along}), dy});
    return w.node("Mul", {w.add_scaled(sum, db, -1 / count), w.node("Mul", {scale, inverse})});
}

/// y = (x - mean) i s + b of each channel, with mean and variance that are given. If the node is
/// `centred`, see training_form(), they were taken from x, whose mean is zero.
std::vector<ValueId> of_batch_normalization(GradientWriter& w, const NodeToDerive& n)
{
    if (n.wants(3) || n.wants(4)) {
        throw bad_input("there is no gradient of a measured mean or variance",
                        "node '" + n.node.name + "'");
    }
    const ValueId x = n.node.inputs[0], dy = n.gradients[0];
    Shape of_channels(w.shape(x).size() - 1, 1);
    of_channels[0] = w.shape(x)[1];
    const auto channels = [&](std::size_t input) {
        return w.reshaped(n.node.inputs[input], of_channels);
    };
    const ValueId inverse = inverse_deviation(w, n.node, channels(4));
    std::vector<ValueId> all(5, no_value);
    if (n.node.attributes.has("centred")) {
        const ValueId db = w.reduced_to(dy, of_channels);
        const ValueId ds = w.node("Mul", {w.product_reduced_to(dy, x, of_channels), inverse});
        all[0] = n.wants(0) ? of_centred_batch(w, x, dy, inverse, channels(1), ds, db) : no_value;
        all[1] = n.wants(1) ? w.reshaped(ds, w.shape(n.node.inputs[1])) : no_value;
        all[2] = n.wants(2) ? w.reshaped(db, w.shape(n.node.inputs[2])) : no_value;
        return all;
    }
    if (n.wants(0)) {
        all[0] = w.node("Mul", {dy, w.node("Mul", {channels(1), inverse})});
    }
    if (n.wants(1)) {
        const ValueId normal = w.node("Mul", {w.node("Sub", {x, channels(3)}), inverse});
        all[1] =
            w.reshaped(w.product_reduced_to(dy, normal, of_channels), w.shape(n.node.inputs[1]));
    }
    if (n.wants(2)) {
        all[2] = w.reshaped(w.reduced_to(dy, of_channels), w.shape(n.node.inputs[2]));
    }
    return all;
}

/// dx = y (dy - sum of dy y); for the logarithm, dx = dy - exp(y) sum of dy.
GradientRule of_softmax(bool logarithm)
{
    return [logarithm](GradientWriter& w, const NodeToDerive& n) {
        const ValueId y = n.node.outputs[0], dy = n.gradients[0];
        const std::size_t rank = w.shape(y).size();
        const std::size_t axis = axis_in(n.node.attributes.integer("axis", -1), rank);
        const std::vector<std::int64_t> axes{static_cast<std::int64_t>(axis)};
        if (logarithm) {
            const ValueId sum = w.summed(dy, axes);
            return std::vector{w.node("Sub", {dy, w.node("Mul", {w.node("Exp", {y}), sum})})};
        }
        const ValueId sum = w.summed_product(dy, y, axes);
        return std::vector{w.node("Mul", {y, w.node("Sub", {dy, sum})})};
    };
}

} // namespace

GradientRules axis_gradients()
{
    return {{"ReduceSum", of_sum(false)},
            {"ReduceMean", of_sum(true)},
            {"ReduceSumSquare", of_sum_of_squares},
            {"ReduceSumProduct", of_sum_of_products},
            {"ReduceL1", of_sum_of_sizes},
            {"ReduceL2", of_norm},
            {"ReduceProd", of_product_along},
            {"ReduceLogSum", of_log_of_sum},
            {"ReduceMax", of_extreme},
            {"ReduceMin", of_extreme},
            {"LayerNormalization", of_layer_normalization},
            {"BatchNormalization", of_batch_normalization},
            {"Softmax", of_softmax(false)},
            {"LogSoftmax", of_softmax(true)}};
}

} // namespace texelscope::networks
