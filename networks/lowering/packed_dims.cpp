#include "networks/lowering/node_kernel.hpp"
#include "networks/operators/moves.hpp"
#include "networks/operators/resize.hpp"

#include <algorithm>
#include <set>
#include <string>

namespace texelscope::networks {
namespace {

// numbers of a texel
constexpr std::int64_t components = 4;

/// The dimension, if the shape has it with several places, else -1.
int several(const Shape& shape, std::ptrdiff_t dimension)
{
    return dimension >= 0 && dimension < std::ssize(shape) &&
                   shape[static_cast<std::size_t>(dimension)] > 1
               ? static_cast<int>(dimension)
               : -1;
}

/// The last dimension with several places, or -1; `but` is not asked.
int last_of(const Shape& shape, std::ptrdiff_t but = -1)
{
    for (std::ptrdiff_t d = std::ssize(shape); d-- > 0;) {
        if (d != but && several(shape, d) >= 0) {
            return static_cast<int>(d);
        }
    }
    return -1;
}

/// Operators that keep channels in dimension 1: texels hold four channels at the same place.
const std::set<std::string> of_channels{"Conv",
                                        "ConvTranspose",
                                        "MaxPool",
                                        "AveragePool",
                                        "GlobalMaxPool",
                                        "GlobalAveragePool",
                                        "BatchNormalization",
                                        "InstanceNormalization",
                                        "MaxPoolTap",
                                        "TapScatter"};

/// Works dimensions out in the order of the nodes. Operators that want a dimension say so (of()),
/// the others follow their inputs (followed()).
class Propagation {
public:
    explicit Propagation(const Graph& graph)
        : graph_(graph), inputs_(graph.inputs.begin(), graph.inputs.end()),
          packed_(graph.values.size(), -1)
    {
        std::set<ValueId> maps; // inputs whose second dimension is channels
        for (const Node& node : graph.nodes) {
            if (of_channels.contains(node.op)) {
                maps.insert(node.inputs[0]);
            }
        }
        for (const ValueId input : graph.inputs) {
            set(input, maps.contains(input) ? several(shape(input), 1) : last_of(shape(input)));
        }
        for (const auto& [constant, numbers] : graph.constants) {
            set(constant, last_of(shape(constant)));
        }
        go_through_nodes();
        if (!graph.carried.empty()) { // their inputs lie as what takes their places is made
            for (auto each = graph.carried.rbegin(); each != graph.carried.rend(); ++each) {
                set(each->input, packed(each->next));
            }
            go_through_nodes();
        }
    }

    [[nodiscard]] PackedDims result() && { return std::move(packed_); }

private:
    void go_through_nodes()
    {
        for (const Node& node : graph_.nodes) {
            for (const ValueId output : node.outputs) {
                if (output != no_value) {
                    set(output, of(node, shape(output)));
                }
            }
        }
    }

    [[nodiscard]] const Shape& shape(ValueId id) const { return graph_.value(id).shape; }
    [[nodiscard]] int packed(ValueId id) const { return packed_[static_cast<std::size_t>(id)]; }
    void set(ValueId id, int dimension) { packed_[static_cast<std::size_t>(id)] = dimension; }

    [[nodiscard]] int of(const Node& node, const Shape& output) const
    {
        const Attributes& a = node.attributes;
        const ValueId first = node.inputs.empty() ? no_value : node.inputs[0];
        if (first == no_value) {
            return last_of(output);
        }
        const Shape& input = shape(first);
        if (node.op == "Conv" || node.op == "ConvTranspose") {
            const std::int64_t groups = a.integer("group", 1);
            const bool depthwise = node.op == "Conv" && groups == input[1] && groups == output[1];
            // channels of a group need not be a multiple of four, and a texel must not span two
            // groups
            return groups == 1 || depthwise ? several(output, 1) : -1;
        }
        if (of_channels.contains(node.op)) {
            return several(output, 1);
        }
        if (node.op == "ConvWeightGradient") {
            const std::int64_t groups = a.integer("group", 1);
            const bool depthwise = groups == output[0] && output[1] == 1;
            return groups == 1 || depthwise ? several(output, 0) : -1;
        }
        if (node.op == "MatMul" || node.op == "Gemm") {
            return several(output, std::ssize(output) - 1);
        }
        if (node.op == "Softmax" || node.op == "LogSoftmax" || node.op == "LayerNormalization") {
            return several(
                output, static_cast<std::ptrdiff_t>(axis_in(a.integer("axis", -1), output.size())));
        }
        if (node.op == "Transpose") {
            const std::vector<std::size_t> order = permutation(node, output.size());
            const auto found = std::ranges::find(order, static_cast<std::size_t>(packed(first)));
            return found == order.end() ? last_of(output) : several(output, found - order.begin());
        }
        if (node.op == "Concat") {
            return joined(node, output);
        }
        // Each run of several indices is a kernel of its own, which may begin within a texel.
        if (node.op == "Gather" && a.has("indices")) {
            const int dimension = last_of(output);
            const auto axis = static_cast<int>(axis_in(a.integer("axis", 0), input.size()));
            return dimension == axis && a.integer_array("indices").integers().size() > 1
                       ? -1
                       : dimension;
        }
        // So is each part of what is padded with the tensor's own numbers.
        if (node.op == "Pad" && a.word("mode", "constant") != "constant") {
            const int dimension = followed(node, output);
            const auto d = static_cast<std::size_t>(std::max(dimension, 0));
            const auto [before, after] = pads_of(node, input);
            return dimension >= 0 && (before[d] != 0 || after[d] != 0) ? -1 : dimension;
        }
        // Neighbours along a dimension of such sums read different neighbours.
        if (node.op == "LRN" || node.op == "Resize") {
            const int dimension = followed(node, output);
            const auto d = static_cast<std::size_t>(std::max(dimension, 0));
            const bool summed = node.op == "LRN" ? d == 1 : resized_axes(node, input)[d].changes();
            return dimension >= 0 && summed ? last_of(output, dimension) : dimension;
        }
        return followed(node, output);
    }

    /// The dimension of the inputs; -1 if it is the axis and an input does not begin with a whole
    /// texel.
    [[nodiscard]] int joined(const Node& node, const Shape& output) const
    {
        const auto axis =
            static_cast<int>(axis_in(node.attributes.integer("axis", 0), output.size()));
        const int dimension =
            several(output, packed(node.inputs[0]) < 0 ? last_of(output) : packed(node.inputs[0]));
        std::int64_t first = 0;
        for (const ValueId input : node.inputs) {
            if (dimension == axis && first % components != 0) {
                return -1;
            }
            first += shape(input)[static_cast<std::size_t>(axis)];
        }
        return dimension;
    }

    /// The dimension of an input of the same rank, or else one with the same extent and as many
    /// places behind it. Values that nodes make are asked before inputs of the graph, because an
    /// input that is carried follows them in turn.
    [[nodiscard]] int followed(const Node& node, const Shape& output) const
    {
        std::vector<ValueId> inputs = node.inputs;
        std::stable_partition(inputs.begin(), inputs.end(),
                              [&](ValueId id) { return !inputs_.contains(id); });
        for (const ValueId input : inputs) {
            if (input == no_value || graph_.constants.contains(input) || packed(input) < 0) {
                continue;
            }
            const Shape& from = shape(input);
            const auto dimension = static_cast<std::size_t>(packed(input));
            if (from.size() == output.size() && several(output, packed(input)) >= 0) {
                return packed(input);
            }
            const std::int64_t behind = row_major_strides(from)[dimension];
            const Shape strides = row_major_strides(output);
            for (std::size_t d = 0; d < output.size(); ++d) {
                if (strides[d] == behind && output[d] == from[dimension]) {
                    return several(output, static_cast<std::ptrdiff_t>(d));
                }
            }
        }
        return last_of(output);
    }

    const Graph& graph_;
    std::set<ValueId> inputs_;
    PackedDims packed_;
};

} // namespace

PackedDims packed_dims(const Graph& graph)
{
    return Propagation(graph).result();
}

} // namespace texelscope::networks
