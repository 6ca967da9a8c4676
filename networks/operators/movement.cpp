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

/// The same numbers under another shape.
NodeOperator renamed(std::string name, int since, Infer infer,
                     std::vector<NodeOperator::Parameter> parameters = {})
{
    NodeOperator row{.name = std::move(name), .since = since, .parameters = std::move(parameters)};
    row.infer = [infer](const Node& node, const NodeOperator::Shapes& in) {
        std::vector<Shape> out = infer(node, *in[0]);
        if (element_count(out.front()) != element_count(*in[0])) {
            throw bad_input(
                fmt::format("{} does not become {}", to_string(*in[0]), to_string(out.front())));
        }
        return out;
    };
    row.reference = [infer](const Node& node, const NodeOperator::Operands& in) {
        return std::vector{Reals{infer(node, in[0]->shape).front(), in[0]->values}};
    };
    return row;
}

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

/// The attribute `shape`: 0 copies the extent of the input (unless allowzero is set), and one
/// extent may be -1, which is what is left over.
std::vector<Shape> reshape(const Node& node, const Shape& input)
{
    Shape shape = node.attributes.integer_array("shape").integers();
    const bool zero_is_zero = node.attributes.integer("allowzero", 0) != 0;
    // Product of the extents that are known, and the dimension that is -1; -1 where there is none.
    std::int64_t known = 1;
    std::ptrdiff_t open = -1;
    for (std::size_t d = 0; d < shape.size(); ++d) {
        if (shape[d] == 0 && !zero_is_zero) {
            if (d >= input.size()) {
                throw bad_input(
                    fmt::format("the shape copies dimension {} of {}", d, to_string(input)));
            }
            shape[d] = input[d];
        }
        if (shape[d] == -1 && open < 0) {
            open = static_cast<std::ptrdiff_t>(d);
        } else if (shape[d] < 0) {
            throw bad_input(fmt::format("the shape has {}", shape[d]));
        } else if (shape[d] > 0 && known > std::numeric_limits<std::int64_t>::max() / shape[d]) {
            throw bad_input("the shape is too large");
        } else {
            known *= shape[d];
        }
    }
    if (open >= 0) {
        // A remainder here is found by renamed(), which compares the numbers of elements.
        shape[static_cast<std::size_t>(open)] = known == 0 ? 0 : element_count(input) / known;
    }
    return {shape};
}

/// To a matrix: the dimensions before the axis are its rows, the others its columns. Unlike
/// elsewhere, the axis may be the rank.
std::vector<Shape> flatten(const Node& node, const Shape& input)
{
    const std::int64_t axis = node.attributes.integer("axis", 1);
    const std::size_t at = axis == static_cast<std::int64_t>(input.size())
                               ? input.size()
                               : axis_in(axis, input.size());
    const std::int64_t rows =
        element_count({input.begin(), input.begin() + static_cast<std::ptrdiff_t>(at)});
    return {{rows, element_count({input.begin() + static_cast<std::ptrdiff_t>(at), input.end()})}};
}

/// Without axes, all dimensions of extent 1 go. A named axis of another extent is found by
/// renamed().
std::vector<Shape> squeeze(const Node& node, const Shape& input)
{
    const std::vector<std::int64_t> axes = node.attributes.integers("axes");
    std::vector<bool> gone(input.size(), false);
    for (std::size_t d = 0; d < input.size(); ++d) {
        gone[d] = axes.empty() && input[d] == 1;
    }
    for (const std::int64_t axis : axes) {
        gone[axis_in(axis, input.size())] = true;
    }
    Shape shape;
    for (std::size_t d = 0; d < input.size(); ++d) {
        if (!gone[d]) {
            shape.push_back(input[d]);
        }
    }
    return {shape};
}

/// Axes are those of the output. Extents that are not yet known are 0 below.
std::vector<Shape> unsqueeze(const Node& node, const Shape& input)
{
    const std::vector<std::int64_t> axes = node.attributes.integers("axes");
    // As many as a tensor of a file may have dimensions (networks/onnx/onnx_file.cpp).
    if (axes.size() > 16) {
        throw bad_input("more than 16 axes");
    }
    Shape shape(input.size() + axes.size(), 0);
    for (const std::int64_t axis : axes) {
        std::int64_t& extent = shape[axis_in(axis, shape.size())];
        if (extent == 1) {
            throw bad_input(fmt::format("axis {} is named twice", axis));
        }
        extent = 1;
    }
    auto next = input.begin();
    for (std::int64_t& extent : shape) {
        extent = extent == 1 ? 1 : *next++;
    }
    return {shape};
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
std::vector<Shape> taken(const Node& node, const Shape& input)
{
    const std::size_t axis = axis_in(node.attributes.integer("axis", 0), input.size());
    const Array indices = node.attributes.integer_array("indices");
    for (const std::int64_t index : indices.integers()) {
        if (index < -input[axis] || index >= input[axis]) {
            throw bad_input(fmt::format("index {} is not one of {}", index, input[axis]));
        }
    }
    Shape shape(input.begin(), input.begin() + static_cast<std::ptrdiff_t>(axis));
    shape.insert(shape.end(), indices.shape.begin(), indices.shape.end());
    shape.insert(shape.end(), input.begin() + static_cast<std::ptrdiff_t>(axis) + 1, input.end());
    return {shape};
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

std::vector<Shape> padded(const Node& node, const Shape& input)
{
    const std::string mode = node.attributes.word("mode", "constant");
    if (mode != "constant" && mode != "edge" && mode != "reflect") {
        throw bad_input("mode " + mode + " is not known");
    }
    const auto [before, after] = pads_of(node, input);
    Shape shape = input;
    for (std::size_t d = 0; d < shape.size(); ++d) {
        shape[d] += before[d] + after[d];
        // A reflection does not repeat the edge, so that it can reach at most the extent less one.
        if (mode == "reflect" && std::max(before[d], after[d]) >= input[d] &&
            std::max(before[d], after[d]) > 0) {
            throw bad_input(fmt::format("{} numbers cannot be reflected in front of or behind {}",
                                        std::max(before[d], after[d]), input[d]));
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
                // Edge: the nearest number of the tensor. Reflect: mirrored at the first or the
                // last number.
                place = mode == "edge" ? std::clamp<std::int64_t>(place, 0, last)
                        : place < 0    ? -place
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
    NodeOperator row{.name = "Concat", .since = 4, .least = 1, .most = 1000};
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
    NodeOperator row{.name = "Split", .since = 2, .parameters = {{1, "split"}}};
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

/// Does nothing in inference, which is all that is understood. The mask, its second output, is
/// refused.
NodeOperator dropout()
{
    NodeOperator row = renamed(
        "Dropout", 7,
        [](const Node& node, const Shape& input) {
            if (node.attributes.integer("training_mode", 0) != 0 || node.outputs.size() > 1) {
                throw bad_input("only inference is understood, without its mask");
            }
            return std::vector<Shape>{input};
        },
        {{1, "ratio"}, {2, "training_mode"}});
    return row;
}

} // namespace

std::vector<NodeOperator> movement_operators()
{
    return {
        renamed("Reshape", 5, reshape, {{1, "shape"}}),
        renamed("Flatten", 1, flatten),
        renamed("Squeeze", 1, squeeze, {{1, "axes"}}),
        renamed("Unsqueeze", 1, unsqueeze, {{1, "axes"}}),
        gathered("Transpose", 1, {}, transposed, transposed_source),
        concat(),
        split(),
        gathered("Slice", 1, {{1, "starts"}, {2, "ends"}, {3, "axes"}, {4, "steps"}}, sliced,
                 sliced_source),
        gathered("Gather", 1, {{1, "indices"}}, taken, taken_source),
        gathered("Pad", 2, {{1, "pads"}, {2, "constant_value"}, {3, "axes"}}, padded, padded_source,
                 padding_value),
        gathered("Expand", 8, {{1, "shape"}}, expanded, expanded_source),
        gathered("DepthToSpace", 1, {}, depth_to_space, depth_to_space_source),
        dropout(),
    };
}

} // namespace texelscope::networks
