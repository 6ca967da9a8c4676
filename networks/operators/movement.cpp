#include "base/error.hpp"
#include "networks/operators/families.hpp"
#include "networks/operators/moves.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

namespace texelscope::networks {
// In this file: operators that move numbers and compute nothing. Most are a function from the index
// of an output's element to the input's element that it copies. Parameters of ONNX that are inputs
// (shapes, axes, indices) are attributes here (NodeOperator::Parameter).
namespace {

/// Where the element of an output comes from: its index -> the number of an element of the input,
/// or `nowhere`, which stands for a given value.
constexpr std::int64_t nowhere = -1;
using Source = std::function<std::int64_t(const Shape& index)>;

/// Makes an output of that shape element by element; `filling` where its source is `nowhere`.
Reals moved(const Reals& from, Shape shape, const Source& source, double filling = 0)
{
    Reals out{std::move(shape), {}};
    const std::int64_t count = element_count(out.shape);
    out.values.reserve(static_cast<std::size_t>(count));
    Shape index(out.shape.size(), 0);
    for (std::int64_t at = 0; at < count; ++at) {
        const std::int64_t place = source(index);
        out.values.push_back(place == nowhere ? filling
                                              : from.values[static_cast<std::size_t>(place)]);
        for (std::size_t d = index.size(); d-- > 0 && ++index[d] == out.shape[d];) {
            index[d] = 0;
        }
    }
    return out;
}

std::int64_t offset(const Shape& index, const Shape& strides)
{
    std::int64_t sum = 0;
    for (std::size_t d = 0; d < index.size(); ++d) {
        sum += index[d] * strides[d];
    }
    return sum;
}

using Infer = std::vector<Shape> (*)(const Node&, const Shape&);

/// One input; where each number comes from is worked out from the node and the input's shape.
NodeOperator gathered(std::string name, int since, std::vector<NodeOperator::Parameter> parameters,
                      Infer infer, Source (*source)(const Node&, const Shape&),
                      double (*filling)(const Node&) = nullptr)
{
    NodeOperator row{.name = std::move(name), .since = since, .parameters = std::move(parameters)};
    row.infer = [infer](const Node& node, const NodeOperator::Shapes& in) {
        return infer(node, *in[0]);
    };
    row.reference = [infer, source, filling](const Node& node, const NodeOperator::Operands& in) {
        const Shape& shape = in[0]->shape;
        return std::vector{moved(*in[0], infer(node, shape).front(), source(node, shape),
                                 filling == nullptr ? 0 : filling(node))};
    };
    return row;
}

std::vector<Shape> transposed(const Node& node, const Shape& input)
{
    Shape shape;
    for (const std::size_t d : permutation(node, input.size())) {
        shape.push_back(input[d]);
    }
    return {shape};
}

// Dimension d of the output walks along dimension perm[d] of the input, with its stride.
Source transposed_source(const Node& node, const Shape& input)
{
    const Shape strides = row_major_strides(input);
    Shape along;
    for (const std::size_t d : permutation(node, input.size())) {
        along.push_back(strides[d]);
    }
    return [along](const Shape& index) { return offset(index, along); };
}

std::vector<Shape> sliced(const Node& node, const Shape& input)
{
    return {slices_of(node, input).shape};
}

Source sliced_source(const Node& node, const Shape& input)
{
    return
        [slices = slices_of(node, input), strides = row_major_strides(input)](const Shape& index) {
            std::int64_t sum = 0;
            for (std::size_t d = 0; d < index.size(); ++d) {
                sum += (slices.starts[d] + index[d] * slices.steps[d]) * strides[d];
            }
            return sum;
        };
}

/// Gather: the dimension `axis` of the input is replaced by all dimensions of the indices.
Shape taken_shape(const Node& node, const Shape& input, const Shape& indices)
{
    const std::size_t axis = axis_in(node.attributes.integer("axis", 0), input.size());
    Shape shape(input.begin(), input.begin() + static_cast<std::ptrdiff_t>(axis));
    shape.insert(shape.end(), indices.begin(), indices.end());
    shape.insert(shape.end(), input.begin() + static_cast<std::ptrdiff_t>(axis) + 1, input.end());
    return shape;
}

std::vector<Shape> taken(const Node& node, const Shape& input)
{
    const std::size_t axis = axis_in(node.attributes.integer("axis", 0), input.size());
    const Array indices = node.attributes.integer_array("indices");
    for (const std::int64_t index : indices.integers()) {
        if (index < -input[axis] || index >= input[axis]) {
            throw bad_input(fmt::format("index {} is not one of {}", index, input[axis]));
        }
    }
    return {taken_shape(node, input, indices.shape)};
}

/// Of an output's index, dimensions [axis, axis + rank of the indices) say which index is meant;
/// those before and behind are the input's own.
Source taken_source(const Node& node, const Shape& input)
{
    const std::size_t axis = axis_in(node.attributes.integer("axis", 0), input.size());
    const Array indices = node.attributes.integer_array("indices");
    return [=, strides = row_major_strides(input),
            of_indices = row_major_strides(indices.shape)](const Shape& index) {
        std::int64_t sum = 0;
        std::int64_t number = 0;
        for (std::size_t d = 0; d < index.size(); ++d) {
            if (d >= axis && d < axis + of_indices.size()) {
                number += index[d] * of_indices[d - axis];
            } else {
                sum += index[d] * strides[d < axis ? d : d - of_indices.size() + 1];
            }
        }
        const std::int64_t place = indices.integers()[static_cast<std::size_t>(number)];
        return sum + (place < 0 ? place + input[axis] : place) * strides[axis];
    };
}

/// A Gather takes numbers by constant indices, or by those of its second input. There an index
/// beyond the input, which ONNX does not allow, takes zeros.
NodeOperator gather()
{
    NodeOperator row = gathered("Gather", 1, {{1, "indices", true}}, taken, taken_source);
    row.most = 2;
    row.infer = [constant = row.infer](const Node& node, const NodeOperator::Shapes& in) {
        return in[1] == nullptr ? constant(node, in)
                                : std::vector<Shape>{taken_shape(node, *in[0], *in[1])};
    };
    row.reference = [constant = row.reference](const Node& node, const NodeOperator::Operands& in) {
        if (in[1] == nullptr) {
            return constant(node, in);
        }
        const Shape& shape = in[0]->shape;
        const std::size_t axis = axis_in(node.attributes.integer("axis", 0), shape.size());
        Reals out{taken_shape(node, shape, in[1]->shape), {}};
        const std::int64_t inner = row_major_strides(shape)[axis];
        const std::int64_t outer =
            inner == 0 || shape[axis] == 0 ? 0 : element_count(shape) / inner / shape[axis];
        for (std::int64_t o = 0; o < outer; ++o) {
            for (const double index : in[1]->values) {
                const double place = index < 0 ? index + static_cast<double>(shape[axis]) : index;
                const bool inside = place >= 0 && place < static_cast<double>(shape[axis]);
                for (std::int64_t i = 0; i < inner; ++i) {
                    const std::int64_t from =
                        (o * shape[axis] + (inside ? static_cast<std::int64_t>(place) : 0)) *
                            inner +
                        i;
                    out.values.push_back(inside ? in[0]->values[static_cast<std::size_t>(from)]
                                                : 0);
                }
            }
        }
        return std::vector{std::move(out)};
    };
    return row;
}

std::vector<Shape> padded(const Node& node, const Shape& input)
{
    const std::string mode = node.attributes.word("mode", "constant");
    if (mode != "constant" && mode != "edge" && mode != "reflect" && mode != "wrap") {
        throw bad_input("mode " + mode + " is not known");
    }
    const auto [before, after] = pads_of(node, input);
    Shape shape = input;
    for (std::size_t d = 0; d < shape.size(); ++d) {
        shape[d] += before[d] + after[d];
        // A reflection does not repeat the edge, so that it can reach at most the extent less one.
        const std::int64_t longest = std::max(before[d], after[d]);
        const std::int64_t most = mode == "reflect" ? input[d] - 1
                                  : mode == "wrap"  ? input[d]
                                                    : longest;
        if (longest > std::max<std::int64_t>(most, 0) ||
            (mode == "edge" && input[d] == 0 && longest > 0)) {
            throw bad_input(fmt::format("mode {} does not make {} numbers in front of or behind {}",
                                        mode, longest, input[d]));
        }
    }
    return {shape};
}

Source padded_source(const Node& node, const Shape& input)
{
    const std::string mode = node.attributes.word("mode", "constant");
    return [mode, input, before = pads_of(node, input).first,
            strides = row_major_strides(input)](const Shape& index) {
        std::int64_t sum = 0;
        for (std::size_t d = 0; d < index.size(); ++d) {
            std::int64_t place = index[d] - before[d];
            const std::int64_t last = input[d] - 1;
            if (place < 0 || place > last) {
                if (mode == "constant") {
                    return nowhere;
                }
                // Edge: the nearest number of the tensor. Wrap: from the other end. Reflect:
                // mirrored at the first or the last number.
                place = mode == "edge"   ? std::clamp<std::int64_t>(place, 0, last)
                        : mode == "wrap" ? (place + input[d]) % input[d]
                        : place < 0      ? -place
                                         : 2 * last - place;
            }
            sum += place * strides[d];
        }
        return sum;
    };
}

std::vector<Shape> expanded(const Node& node, const Shape& input)
{
    return {broadcast_shape(input, node.attributes.integer_array("shape").integers())};
}

Source expanded_source(const Node&, const Shape& input)
{
    // As in elementwise.cpp: an extent of 1 is read again, a missing dimension is not looked at.
    Shape strides = row_major_strides(input);
    for (std::size_t d = 0; d < input.size(); ++d) {
        strides[d] = input[d] == 1 ? 0 : strides[d];
    }
    return [strides](const Shape& index) {
        return offset({index.end() - static_cast<std::ptrdiff_t>(strides.size()), index.end()},
                      strides);
    };
}

/// N, C, H, W becomes N, C / b^2, H b, W b: each output place takes its number from one of b^2
/// channels.
std::vector<Shape> depth_to_space(const Node& node, const Shape& input)
{
    const std::int64_t blocks = depth_blocks(node, input);
    return {{input[0], input[1] / (blocks * blocks), input[2] * blocks, input[3] * blocks}};
}

Source depth_to_space_source(const Node& node, const Shape& input)
{
    // ONNX's two orders of these channels: DCR has the place within the block outermost, CRD the
    // output channel.
    const bool depth_first = node.attributes.word("mode", "DCR") == "DCR";
    return [=, blocks = depth_blocks(node, input)](const Shape& index) {
        const std::int64_t channels = input[1] / (blocks * blocks);
        const std::int64_t within = index[2] % blocks * blocks + index[3] % blocks;
        const std::int64_t channel =
            depth_first ? within * channels + index[1] : index[1] * blocks * blocks + within;
        return ((index[0] * input[1] + channel) * input[2] + index[2] / blocks) * input[3] +
               index[3] / blocks;
    };
}

NodeOperator concat()
{
    NodeOperator row{.name = "Concat", .since = 1, .least = 1, .most = 1000};
    row.infer = [](const Node& node, const NodeOperator::Shapes& in) {
        if (!node.attributes.has("axis")) {
            throw bad_input("the axis is missing");
        }
        const std::size_t axis = axis_in(node.attributes.integer("axis", 0), in[0]->size());
        Shape shape = *in[0];
        for (std::size_t i = 1; i < in.size(); ++i) {
            Shape other = *in[i];
            if (other.size() == shape.size()) {
                other[axis] = shape[axis]; // the only one that may differ
            }
            if (other != shape) {
                throw bad_input(fmt::format("{} and {} do not join along axis {}",
                                            to_string(*in[0]), to_string(*in[i]), axis));
            }
            shape[axis] += (*in[i])[axis];
        }
        return std::vector<Shape>{shape};
    };
    row.reference = [infer = row.infer](const Node& node, const NodeOperator::Operands& in) {
        NodeOperator::Shapes shapes;
        for (const Reals* each : in) {
            shapes.push_back(&each->shape);
        }
        Reals out{infer(node, shapes).front(), {}};
        const std::size_t axis = axis_in(node.attributes.integer("axis", 0), out.shape.size());
        // Row-major, a concatenation repeats for each outer index: a run of the first input, one of
        // the second and so on.
        const std::int64_t outer = element_count(
            {out.shape.begin(), out.shape.begin() + static_cast<std::ptrdiff_t>(axis)});
        for (std::int64_t o = 0; o < outer; ++o) {
            for (const Reals* each : in) {
                const std::int64_t length = std::ssize(each->values) / outer;
                out.values.insert(out.values.end(), each->values.begin() + o * length,
                                  each->values.begin() + (o + 1) * length);
            }
        }
        return std::vector{std::move(out)};
    };
    return row;
}

NodeOperator split()
{
    NodeOperator row{.name = "Split", .since = 1, .parameters = {{1, "split"}}};
    row.infer = [](const Node& node, const NodeOperator::Shapes& in) {
        const std::size_t axis = axis_in(node.attributes.integer("axis", 0), in[0]->size());
        std::vector<std::int64_t> parts = node.attributes.integers("split");
        const auto count = static_cast<std::int64_t>(node.outputs.size());
        std::int64_t sum = 0;
        // Without sizes the parts are alike, rounded up (ONNX, Split-18: num_outputs).
        const std::int64_t each = (((*in[0])[axis]) + count - 1) / std::max<std::int64_t>(count, 1);
        if (parts.empty() && count > 0) {
            parts.resize(static_cast<std::size_t>(count), each);
            // The last part is smaller where they are not alike.
            parts.back() = (*in[0])[axis] - each * (count - 1);
        }
        std::vector<Shape> shapes;
        for (const std::int64_t part : parts) {
            shapes.push_back(*in[0]);
            shapes.back()[axis] = part;
            sum += part;
        }
        if (std::ssize(parts) != count || sum != (*in[0])[axis] ||
            std::ranges::any_of(parts, [](auto part) { return part < 0; })) {
            throw bad_input(fmt::format("{} is not split into these {} parts along axis {}",
                                        to_string(*in[0]), count, axis));
        }
        return shapes;
    };
    row.reference = [infer = row.infer](const Node& node, const NodeOperator::Operands& in) {
        const Shape& shape = in[0]->shape;
        const std::size_t axis = axis_in(node.attributes.integer("axis", 0), shape.size());
        std::vector<Reals> parts;
        std::int64_t start = 0;
        for (const Shape& part : infer(node, {&shape})) {
            const Shape strides = row_major_strides(shape);
            parts.push_back(moved(*in[0], part, [&](const Shape& index) {
                return offset(index, strides) + start * strides[axis];
            }));
            start += part[axis];
        }
        return parts;
    };
    return row;
}

} // namespace

std::vector<NodeOperator> movement_operators()
{
    return {
        gathered("Transpose", 1, {}, transposed, transposed_source),
        concat(),
        split(),
        gathered("Slice", 1, {{1, "starts"}, {2, "ends"}, {3, "axes"}, {4, "steps"}}, sliced,
                 sliced_source),
        gather(),
        gathered("Pad", 1, {{1, "pads"}, {2, "constant_value"}, {3, "axes"}}, padded, padded_source,
                 padding_value),
        gathered("Expand", 8, {{1, "shape"}}, expanded, expanded_source),
        gathered("DepthToSpace", 1, {}, depth_to_space, depth_to_space_source),
    };
}

} // namespace texelscope::networks
