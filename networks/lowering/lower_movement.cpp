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

/// Places of a part of the output along one dimension.
struct PartOfAxis {
    std::int64_t first = 0;
    std::int64_t extent = 1;
};

/// A kernel that writes a part of the output. `from` gives the input's index for an index in that
/// part.
template <class From>
NodeKernel part(const NodeToLower& n, ValueId input, const std::vector<PartOfAxis>& axes,
                const From& from)
{
    KernelBuilder builder = n.builder();
    Index output;
    for (std::size_t d = 0; d < axes.size(); ++d) {
        output.push_back(builder.output("d" + std::to_string(d), axes[d].extent));
    }
    builder.further(input, from(output));
    for (std::size_t d = 0; d < axes.size(); ++d) {
        output[d] = output[d] + axes[d].first;
    }
    return builder.finish(std::move(output), 0);
}

/// All of the output but along one axis.
std::vector<PartOfAxis> along(const Shape& shape, std::size_t axis, PartOfAxis places)
{
    std::vector<PartOfAxis> axes;
    for (const std::int64_t extent : shape) {
        axes.push_back({0, extent});
    }
    axes[axis] = places;
    return axes;
}

/// A kernel for each input, which writes its part of the output.
std::vector<NodeKernel> lower_concat(const NodeToLower& n)
{
    const std::size_t axis = axis_in(n.node.attributes.integer("axis", 0), n.output().size());
    std::vector<NodeKernel> kernels;
    std::int64_t first = 0;
    for (const ValueId input : n.node.inputs) {
        const std::int64_t extent = n.graph.value(input).shape[axis];
        kernels.push_back(part(n, input, along(n.output(), axis, {first, extent}),
                               [](const Index& index) { return index; }));
        first += extent;
    }
    return kernels;
}

/// A table whose rows are taken by numbers that another kernel makes, or the caller gives. An index
/// expression cannot look them up, so each output is the sum over all rows of the row's number
/// times 1 where it is the one that is wanted, else 0.
std::vector<NodeKernel> lower_looked_up(const NodeToLower& n)
{
    const Shape& shape = n.input(0);
    const std::size_t axis = axis_in(n.node.attributes.integer("axis", 0), shape.size());
    const std::size_t of_indices = n.input(1).size();
    KernelBuilder builder = n.builder();
    const Index output = builder.outputs();
    const auto behind = output.begin() + static_cast<std::ptrdiff_t>(axis);
    const IndexExpr row = builder.reduction("row", shape[axis]);
    Index table(output.begin(), behind);
    table.push_back(row);
    table.insert(table.end(), behind + static_cast<std::ptrdiff_t>(of_indices), output.end());
    Index wanted(behind, behind + static_cast<std::ptrdiff_t>(of_indices));
    const auto last = static_cast<int>(shape.size()) - 1;
    const auto place = static_cast<int>(axis);
    builder.factor(n.node.inputs[0], std::move(table), {last == place ? place - 1 : last, place});
    builder.factor(n.node.inputs[1], std::move(wanted),
                   roles_of(n.input(1), n.packed_of(n.node.inputs[1])));
    const codegen::NumberExpr index = argument(1);
    // Negative numbers count from the end.
    const codegen::NumberExpr from_start =
        choose(less(index, 0.0), index + static_cast<double>(shape[axis]), index);
    builder.contraction().term =
        argument(0) * (1.0 - call("fabs", call("sign", from_start - argument(2))));
    builder.contraction().number = row;
    const double outputs = static_cast<double>(element_count(n.output()));
    return {builder.finish(output, outputs * static_cast<double>(shape[axis]))};
}

/// A single index is a slice. Of several, each run of indices that are equally far apart is a
/// kernel, because an index expression cannot look numbers up in a table.
std::vector<NodeKernel> lower_taken(const NodeToLower& n)
{
    if (n.has(1)) {
        return lower_looked_up(n);
    }
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
        const PartOfAxis run{static_cast<std::int64_t>(first),
                             static_cast<std::int64_t>(end - first)};
        kernels.push_back(
            part(n, n.node.inputs[0], along(n.output(), axis, run), [&](const Index& output) {
                Index index = output;
                index[axis] = index[axis] * step + places[first];
                return index;
            }));
        first = end;
    }
    return kernels;
}

/// How a part of the output along one dimension reads the input: place = step * index + start.
struct PaddedPart {
    PartOfAxis places;
    std::int64_t start = 0;
    std::int64_t step = 1;
};

/// In front of the tensor, the tensor itself, and behind it.
std::vector<PaddedPart> padded_parts(const std::string& mode, std::int64_t extent,
                                     std::int64_t before, std::int64_t after)
{
    const std::int64_t front = std::max<std::int64_t>(before, 0);
    const std::int64_t back = std::max<std::int64_t>(after, 0);
    const std::int64_t inside = extent + before - front + after - back;
    const bool edge = mode == "edge", reflect = mode == "reflect";
    std::vector<PaddedPart> parts{{{0, front},
                                   edge      ? 0
                                   : reflect ? front
                                             : extent - front,
                                   edge      ? 0
                                   : reflect ? -1
                                             : 1},
                                  {{front, inside}, front - before, 1},
                                  {{front + inside, back},
                                   edge      ? extent - 1
                                   : reflect ? extent - 2
                                             : 0,
                                   edge      ? 0
                                   : reflect ? -1
                                             : 1}};
    std::erase_if(parts, [](const PaddedPart& each) { return each.places.extent <= 0; });
    return parts;
}

/// Reads outside of an image give zeros, so padding with zeros needs no code. decomposed() turns
/// padding with another number into that. Padding with the tensor's own numbers is a kernel for
/// each part: those in front of the tensor, within it and behind it, along each dimension.
std::vector<NodeKernel> lower_padded(const NodeToLower& n)
{
    const std::string mode = n.node.attributes.word("mode", "constant");
    const auto [before, after] = pads_of(n.node, n.input(0));
    if (mode == "constant") {
        if (padding_value(n.node) != 0) {
            throw bad_input("no kernel pads so many numbers with anything but zeros");
        }
        return moved(n, [&, &front = before](const Index& output) {
            Index index;
            for (std::size_t d = 0; d < output.size(); ++d) {
                index.push_back(output[d] - front[d]);
            }
            return index;
        });
    }
    std::vector<std::vector<PaddedPart>> boxes{{}}; // by dimension
    for (std::size_t d = 0; d < before.size(); ++d) {
        std::vector<std::vector<PaddedPart>> longer;
        for (const PaddedPart& next : padded_parts(mode, n.input(0)[d], before[d], after[d])) {
            for (std::vector<PaddedPart> box : boxes) {
                box.push_back(next);
                longer.push_back(std::move(box));
            }
        }
        boxes = std::move(longer);
    }
    std::vector<NodeKernel> kernels;
    for (const std::vector<PaddedPart>& box : boxes) {
        std::vector<PartOfAxis> axes;
        for (const PaddedPart& each : box) {
            axes.push_back(each.places);
        }
        kernels.push_back(part(n, n.node.inputs[0], axes, [&](const Index& output) {
            Index index;
            for (std::size_t d = 0; d < box.size(); ++d) {
                index.push_back(output[d] * box[d].step + box[d].start);
            }
            return index;
        }));
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
            {"Expand", lower_expanded},      {"DepthToSpace", lower_depth_to_space},
            {"Resize", lower_resized}};
}

} // namespace texelscope::networks
