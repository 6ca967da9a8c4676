#include "base/error.hpp"
#include "networks/operators/moves.hpp"
#include "networks/operators/node_operator.hpp"
#include "networks/operators/resize.hpp"
#include "networks/training/gradient_writer.hpp"

#include <algorithm>
#include <utility>

namespace texelscope::networks {
// Gradients of operators that move numbers: dy moves back.
namespace {

std::vector<ValueId> of_names(GradientWriter& w, const NodeToDerive& n)
{
    return {w.reshaped(n.gradients[0], w.shape(n.node.inputs[0]))};
}

std::vector<ValueId> of_transpose(GradientWriter& w, const NodeToDerive& n)
{
    const std::vector<std::size_t> from = permutation(n.node, w.shape(n.node.inputs[0]).size());
    std::vector<std::int64_t> back(from.size());
    for (std::size_t d = 0; d < from.size(); ++d) {
        back[from[d]] = static_cast<std::int64_t>(d);
    }
    return {w.transposed(n.gradients[0], std::move(back))};
}

ValueId sliced(GradientWriter& w, ValueId value, std::vector<std::int64_t> starts,
               std::vector<std::int64_t> ends, std::vector<std::int64_t> axes)
{
    Attributes part;
    part.set("starts", std::move(starts));
    part.set("ends", std::move(ends));
    part.set("axes", std::move(axes));
    return w.node("Slice", {value}, std::move(part));
}

std::vector<ValueId> of_concat(GradientWriter& w, const NodeToDerive& n)
{
    std::vector<ValueId> all(n.node.inputs.size(), no_value);
    const auto axis = static_cast<std::int64_t>(
        axis_in(n.node.attributes.integer("axis", 0), w.shape(n.gradients[0]).size()));
    std::int64_t start = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const std::int64_t length = w.shape(n.node.inputs[i])[static_cast<std::size_t>(axis)];
        if (n.wants(i)) {
            all[i] = sliced(w, n.gradients[0], {start}, {start + length}, {axis});
        }
        start += length;
    }
    return all;
}

/// Concatenates the gradients of the parts. Parts that the loss does not depend on are zeros.
std::vector<ValueId> of_split(GradientWriter& w, const NodeToDerive& n)
{
    std::vector<ValueId> parts;
    for (std::size_t i = 0; i < n.gradients.size(); ++i) {
        const Shape shape = w.shape(n.node.outputs[i]);
        const auto count = static_cast<std::size_t>(element_count(shape));
        parts.push_back(n.gradients[i] != no_value
                            ? n.gradients[i]
                            : w.graph().add_constant(n.node.name + ".zeros", shape,
                                                     std::vector<float>(count, 0.0F)));
    }
    Attributes along;
    along.set("axis", n.node.attributes.integer("axis", 0));
    return {w.node("Concat", std::move(parts), std::move(along))};
}

ValueId padded(GradientWriter& w, ValueId value, const Shape& before, const Shape& after)
{
    std::vector<std::int64_t> pads(before.begin(), before.end());
    pads.insert(pads.end(), after.begin(), after.end());
    Attributes around;
    around.set("pads", std::move(pads));
    return w.node("Pad", {value}, std::move(around));
}

/// dy with zeros around it, where the input was not taken.
std::vector<ValueId> of_slice(GradientWriter& w, const NodeToDerive& n)
{
    const Shape input = w.shape(n.node.inputs[0]);
    const Slices slices = slices_of(n.node, input);
    if (std::ranges::any_of(slices.steps, [](std::int64_t step) { return step != 1; })) {
        throw bad_input("there is no gradient of a Slice with steps", "node '" + n.node.name + "'");
    }
    Shape after = input;
    for (std::size_t d = 0; d < input.size(); ++d) {
        after[d] -= slices.starts[d] + slices.shape[d];
    }
    return {padded(w, n.gradients[0], slices.starts, after)};
}

std::vector<ValueId> of_pad(GradientWriter& w, const NodeToDerive& n)
{
    const Shape input = w.shape(n.node.inputs[0]);
    const auto [before, after] = pads_of(n.node, input);
    if (n.node.attributes.word("mode", "constant") != "constant" ||
        std::ranges::any_of(before, [](std::int64_t pad) { return pad < 0; }) ||
        std::ranges::any_of(after, [](std::int64_t pad) { return pad < 0; })) {
        throw bad_input("there is no gradient of a Pad that cuts or repeats",
                        "node '" + n.node.name + "'");
    }
    std::vector<std::int64_t> starts, ends, axes;
    for (std::size_t d = 0; d < input.size(); ++d) {
        starts.push_back(before[d]);
        ends.push_back(before[d] + input[d]);
        axes.push_back(static_cast<std::int64_t>(d));
    }
    return {sliced(w, n.gradients[0], std::move(starts), std::move(ends), std::move(axes))};
}

/// The product of a matrix with the dimension `axis` of a value, whose other dimensions are those
/// of `shape`: that of the result.
ValueId times_along(GradientWriter& w, ValueId matrix, ValueId value, std::size_t axis,
                    const Shape& shape)
{
    const auto dims = shape.begin() + static_cast<std::ptrdiff_t>(axis);
    const std::int64_t outer = element_count({shape.begin(), dims}),
                       inner = element_count({dims + 1, shape.end()});
    const ValueId rows = w.reshaped(value, {outer, w.shape(matrix)[1], inner});
    return w.reshaped(w.node("MatMul", {matrix, rows}), shape);
}

/// A number that is taken several times gets the sum of their gradients. That is a product of dy
/// with a matrix that has, for each index, a one in the row of the place it takes. It is a
/// constant, so one kernel does it.
std::vector<ValueId> of_gather(GradientWriter& w, const NodeToDerive& n)
{
    if (!n.node.attributes.has("indices")) {
        throw bad_input("there is no gradient of a Gather whose indices are not constant",
                        "node '" + n.node.name + "'");
    }
    const Shape x = w.shape(n.node.inputs[0]);
    const std::size_t axis = axis_in(n.node.attributes.integer("axis", 0), x.size());
    const Array indices = n.node.attributes.integer_array("indices");
    const std::int64_t taken = element_count(indices.shape);
    std::vector<float> ones(static_cast<std::size_t>(x[axis] * taken), 0.0F);
    for (std::int64_t i = 0; i < taken; ++i) {
        const std::int64_t from = indices.integers()[static_cast<std::size_t>(i)];
        ones[static_cast<std::size_t>((from < 0 ? from + x[axis] : from) * taken + i)] = 1;
    }
    const ValueId matrix =
        w.graph().add_constant(n.node.name + ".ones", {x[axis], taken}, std::move(ones));
    return {times_along(w, matrix, n.gradients[0], axis, x)};
}

/// What each place was made of takes its share of dy: along each dimension that changes, a product
/// with the constant matrix of these shares.
std::vector<ValueId> of_resize(GradientWriter& w, const NodeToDerive& n)
{
    const std::vector<ResizedAxis> axes = resized_axes(n.node, w.shape(n.node.inputs[0]));
    ValueId gradient = n.gradients[0];
    for (std::size_t d = 0; d < axes.size(); ++d) {
        const auto [in, out, scale] = axes[d];
        if (!axes[d].changes()) {
            continue;
        }
        std::vector<float> shares(static_cast<std::size_t>(in * out), 0.0F);
        const std::vector<ResizedPlace> places = resized_places(n.node, axes[d]);
        for (std::size_t o = 0; o < places.size(); ++o) {
            for (const ResizeTap& tap : places[o].taps) {
                shares[static_cast<std::size_t>(tap.place * out) + o] +=
                    static_cast<float>(tap.weight);
            }
        }
        const ValueId matrix =
            w.graph().add_constant(n.node.name + ".shares", {in, out}, std::move(shares));
        Shape shape = w.shape(gradient);
        shape[d] = in;
        gradient = times_along(w, matrix, gradient, d, shape);
    }
    return {gradient};
}

std::vector<ValueId> of_expand(GradientWriter& w, const NodeToDerive& n)
{
    return {w.reduced_to(n.gradients[0], w.shape(n.node.inputs[0]))};
}

/// Splits the places of a block into dimensions of their own (N, C, H, block, W, block), which are
/// then transposed back into channels.
std::vector<ValueId> of_depth_to_space(GradientWriter& w, const NodeToDerive& n)
{
    const Shape x = w.shape(n.node.inputs[0]);
    const std::int64_t block = depth_blocks(n.node, x);
    const std::int64_t channels = x[1] / (block * block);
    const bool depth_first = n.node.attributes.word("mode", "DCR") == "DCR";
    const ValueId places = w.reshaped(n.gradients[0], {x[0], channels, x[2], block, x[3], block});
    return {
        w.reshaped(w.transposed(places, depth_first ? std::vector<std::int64_t>{0, 3, 5, 1, 2, 4}
                                                    : std::vector<std::int64_t>{0, 1, 3, 5, 2, 4}),
                   x)};
}

} // namespace

GradientRules movement_gradients()
{
    return {
        {"Reshape", of_names},   {"Flatten", of_names},       {"Squeeze", of_names},
        {"Unsqueeze", of_names}, {"Transpose", of_transpose}, {"Concat", of_concat},
        {"Split", of_split},     {"Slice", of_slice},         {"Pad", of_pad},
        {"Expand", of_expand},   {"Gather", of_gather},       {"DepthToSpace", of_depth_to_space},
        {"Resize", of_resize}};
}

} // namespace texelscope::networks
