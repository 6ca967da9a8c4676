#include "base/error.hpp"
#include "networks/lowering/lower_families.hpp"
#include "networks/operators/moves.hpp"

#include <algorithm>
#include <utility>

namespace texelscope::networks {
// Kernels that move numbers: each output reads one place of the input, found by an index
// expression.
namespace {

using codegen::IndexExpr;

/// A kernel that writes one output, number by number, from the first input.
template <class From>
std::vector<NodeKernel> moved(const NodeToLower& n, const From& from)
{
    KernelBuilder builder = n.builder();
    const Index output = builder.outputs();
    builder.further(n.node.inputs[0], from(output));
    return {builder.finish(output, 0)};
}

/// The same numbers in the same order under another shape: the index becomes the number of the
/// element, and that an index of the input.
std::vector<NodeKernel> lower_renamed(const NodeToLower& n)
{
    return moved(n, [&](const Index& output) {
        IndexExpr number = 0;
        const Shape strides = row_major_strides(n.output());
        for (std::size_t d = 0; d < output.size(); ++d) {
            number = number + output[d] * strides[d];
        }
        Index index;
        const Shape& shape = n.input(0);
        const Shape of_input = row_major_strides(shape);
        for (std::size_t d = 0; d < shape.size(); ++d) {
            const IndexExpr line = floor_div(number, of_input[d]);
            index.push_back(d == 0 ? line : mod(line, shape[d]));
        }
        return index;
    });
}

std::vector<NodeKernel> lower_transposed(const NodeToLower& n)
{
    return moved(n, [&](const Index& output) {
        const std::vector<std::size_t> order = permutation(n.node, output.size());
        Index index(output.size());
        for (std::size_t d = 0; d < order.size(); ++d) {
            index[order[d]] = output[d];
        }
        return index;
    });
}

std::vector<NodeKernel> lower_sliced(const NodeToLower& n)
{
    return moved(n, [&](const Index& output) {
        const Slices slices = slices_of(n.node, n.input(0));
        Index index;
        for (std::size_t d = 0; d < output.size(); ++d) {
            index.push_back(output[d] * slices.steps[d] + slices.starts[d]);
        }
        return index;
    });
}

/// Reads outside of an image give zeros, so padding with zeros needs no code. decomposed() turns
/// padding with another number into that.
std::vector<NodeKernel> lower_padded(const NodeToLower& n)
{
    if (n.node.attributes.word("mode", "constant") != "constant" || padding_value(n.node) != 0) {
        throw bad_input("no kernel pads with anything but zeros yet");
    }
    return moved(n, [&](const Index& output) {
        const Shape before = pads_of(n.node, n.input(0)).first;
        Index index;
        for (std::size_t d = 0; d < output.size(); ++d) {
            index.push_back(output[d] - before[d]);
        }
        return index;
    });
}

std::vector<NodeKernel> lower_expanded(const NodeToLower& n)
{
    return moved(n, [&](const Index& output) { return broadcast_index(n.input(0), output); });
}

std::vector<NodeKernel> lower_depth_to_space(const NodeToLower& n)
{
    return moved(n, [&](const Index& output) {
        const Shape& shape = n.input(0);
        const std::int64_t blocks = depth_blocks(n.node, shape);
        const std::int64_t channels = shape[1] / (blocks * blocks);
        const IndexExpr within = mod(output[2], blocks) * blocks + mod(output[3], blocks);
        const bool depth_first = n.node.attributes.word("mode", "DCR") == "DCR";
        const IndexExpr channel =
            depth_first ? within * channels + output[1] : output[1] * (blocks * blocks) + within;
        return Index{output[0], channel, floor_div(output[2], blocks),
                     floor_div(output[3], blocks)};
    });
}

/// A kernel for each output, which reads from where its part begins.
std::vector<NodeKernel> lower_split(const NodeToLower& n)
{
    const Shape& shape = n.input(0);
    const std::size_t axis = axis_in(n.node.attributes.integer("axis", 0), shape.size());
    std::vector<NodeKernel> kernels;
    std::int64_t start = 0;
    for (const ValueId part : n.node.outputs) {
        KernelBuilder builder(n.node.op, n.graph, part, n.packed_of(part));
        const Index output = builder.outputs();
        Index index = output;
        index[axis] = index[axis] + start;
        builder.further(n.node.inputs[0], std::move(index));
        kernels.push_back(builder.finish(output, 0));
        start += n.graph.value(part).shape[axis];
    }
    return kernels;
}

/// A kernel that writes a part of the output: `extent` places along an axis, from `first` on.
/// `from` gives the input's index for an index in that part.
template <class From>
NodeKernel part(const NodeToLower& n, ValueId input, std::size_t axis, std::int64_t first,
                std::int64_t extent, const From& from)
{
    KernelBuilder builder = n.builder();
    Index output;
    for (std::size_t d = 0; d < n.output().size(); ++d) {
        output.push_back(
            builder.output("d" + std::to_string(d), d == axis ? extent : n.output()[d]));
    }
    builder.further(input, from(output));
    output[axis] = output[axis] + first;
    return builder.finish(std::move(output), 0);
}

/// A kernel for each input, which writes its part of the output.
std::vector<NodeKernel> lower_concat(const NodeToLower& n)
{
    const std::size_t axis = axis_in(n.node.attributes.integer("axis", 0), n.output().size());
    std::vector<NodeKernel> kernels;
    std::int64_t first = 0;
    for (const ValueId input : n.node.inputs) {
        const std::int64_t extent = n.graph.value(input).shape[axis];
        kernels.push_back(
            part(n, input, axis, first, extent, [](const Index& index) { return index; }));
        first += extent;
    }
    return kernels;
}

/// A single index is a slice. Of several, each run of indices that are equally far apart is a
/// kernel, because an index expression cannot look numbers up in a table.
std::vector<NodeKernel> lower_taken(const NodeToLower& n)
{
    const Shape& shape = n.input(0);
    const std::size_t axis = axis_in(n.node.attributes.integer("axis", 0), shape.size());
    const Array array = n.node.attributes.integer_array("indices");
    std::vector<std::int64_t> places = array.integers();
    for (std::int64_t& place : places) {
        place = place < 0 ? place + shape[axis] : place;
    }
    if (array.shape.size() > 1) {
        throw bad_input("no kernel takes numbers by a table of indices yet");
    }
    if (array.shape.empty()) {
        return moved(n, [&](const Index& output) {
            Index index = output;
            index.insert(index.begin() + static_cast<std::ptrdiff_t>(axis),
                         IndexExpr(places.front()));
            return index;
        });
    }
    std::vector<NodeKernel> kernels;
    for (std::size_t first = 0; first < places.size();) {
        std::size_t end = first + 1;
        const std::int64_t step = end < places.size() ? places[end] - places[first] : 1;
        while (end < places.size() && places[end] - places[end - 1] == step) {
            ++end;
        }
        kernels.push_back(part(n, n.node.inputs[0], axis, static_cast<std::int64_t>(first),
                               static_cast<std::int64_t>(end - first), [&](const Index& output) {
                                   Index index = output;
                                   index[axis] = index[axis] * step + places[first];
                                   return index;
                               }));
        first = end;
    }
    return kernels;
}

} // namespace

Lowerings movement_lowerings()
{
    return {{"Reshape", lower_renamed},      {"Flatten", lower_renamed},
            {"Squeeze", lower_renamed},      {"Unsqueeze", lower_renamed},
            {"Transpose", lower_transposed}, {"Concat", lower_concat},
            {"Split", lower_split},          {"Slice", lower_sliced},
            {"Gather", lower_taken},         {"Pad", lower_padded},
            {"Expand", lower_expanded},      {"DepthToSpace", lower_depth_to_space}};
}

} // namespace texelscope::networks
