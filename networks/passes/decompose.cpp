#include "networks/passes/decompose.hpp"

#include "networks/operators/moves.hpp"
#include "networks/operators/node_operator.hpp"
#include "networks/operators/resize.hpp"
#include "networks/passes/empty_values.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace texelscope::networks {
namespace {

/// Puts nodes in place of one.
class Normalisation {
public:
    Normalisation(Graph& graph, std::vector<Node>& nodes, const Node& node)
        : graph_(graph), nodes_(nodes), node_(node), shape_(graph.value(node.inputs[0]).shape)
    {}

    /// y = (x - mean) / sqrt(variance + epsilon) over these dimensions, times scale, plus bias;
    /// both broadcast, or are no_value.
    void write(std::size_t first_axis, ValueId scale, ValueId bias)
    {
        Shape reduced = shape_;
        std::vector<std::int64_t> axes;
        for (std::size_t d = first_axis; d < shape_.size(); ++d) {
            reduced[d] = 1;
            axes.push_back(static_cast<std::int64_t>(d));
        }
        Attributes over;
        over.set("axes", axes);
        over.set("keepdims", std::int64_t{1});
        const ValueId x = node_.inputs[0];
        const ValueId mean = add("ReduceMean", "mean", {x}, reduced, over, output(1));
        const ValueId difference = add("Sub", "difference", {x, mean}, shape_);
        const ValueId squares = add("Mul", "squares", {difference, difference}, shape_);
        const ValueId variance = add("ReduceMean", "variance", {squares}, reduced, over);
        const ValueId epsilon =
            graph_.add_constant(node_.name + ".epsilon", {},
                                {static_cast<float>(node_.attributes.real("epsilon", 1e-5))});
        const ValueId sum = add("Add", "raised", {variance, epsilon}, reduced);
        const ValueId deviation = add("Sqrt", "deviation", {sum}, reduced);
        const ValueId inverse = add("Reciprocal", "inverse", {deviation}, reduced, {}, output(2));
        const bool last = scale == no_value && bias == no_value;
        ValueId y = add("Mul", "normalized", {difference, inverse}, shape_, {},
                        last ? output(0) : no_value);
        if (scale != no_value) {
            y = add("Mul", "scaled", {y, scale}, shape_, {},
                    bias == no_value ? output(0) : no_value);
        }
        if (bias != no_value) {
            add("Add", "shifted", {y, bias}, shape_, {}, output(0));
        }
    }

    /// A value of each channel, as broadcasts to the tensor.
    ValueId of_channels(ValueId value)
    {
        Shape shape(shape_.size() - 1, 1);
        shape[0] = shape_[1];
        if (const auto constant = graph_.constants.find(value);
            constant != graph_.constants.end()) {
            std::vector<float> numbers = constant->second;
            std::string& name = graph_.values[static_cast<std::size_t>(value)].name;
            const std::string own = name; // by which a weight is known
            name += ".given";
            return graph_.add_constant(own, shape, std::move(numbers));
        }
        Attributes to;
        to.set("shape", shape);
        return add("Reshape", "of_channels", {value}, shape, to);
    }

private:
    [[nodiscard]] ValueId output(std::size_t number) const
    {
        return number < node_.outputs.size() ? node_.outputs[number] : no_value;
    }

    /// `made`: the value that the node makes; no_value: a new one.
    ValueId add(const char* op, const char* part, std::vector<ValueId> inputs, const Shape& shape,
                Attributes attributes = {}, ValueId made = no_value)
    {
        const std::string name = node_.name + "." + part;
        const ValueId value = made == no_value ? graph_.add_value(name, shape) : made;
        nodes_.push_back({name, op, std::move(inputs), {value}, std::move(attributes)});
        return value;
    }

    Graph& graph_;
    std::vector<Node>& nodes_;
    const Node& node_;
    Shape shape_;
};

/// Elements: what is larger stays, and is refused as a kernel.
constexpr std::int64_t most_padded = std::int64_t{1} << 26;

bool pads_with_a_number(const Graph& graph, const Node& node)
{
    return node.op == "Pad" && node.attributes.word("mode", "constant") == "constant" &&
           padding_value(node) != 0 &&
           element_count(graph.value(node.outputs[0]).shape) <= most_padded;
}

/// Pads with zeros, and subtracts a constant that is zero where the tensor lies and minus the
/// padding elsewhere. It is subtracted, not added, because a constant that is added would count as
/// a bias, which training changes (parameters()).
void write_padding(Graph& graph, std::vector<Node>& nodes, const Node& node)
{
    const Shape input = graph.value(node.inputs[0]).shape;
    const Shape shape = graph.value(node.outputs[0]).shape;
    const Shape before = pads_of(node, input).first;
    std::vector<float> around(static_cast<std::size_t>(element_count(shape)),
                              static_cast<float>(-padding_value(node)));
    const Shape strides = row_major_strides(shape);
    for (std::size_t at = 0; at < around.size(); ++at) {
        bool inside = true;
        for (std::size_t d = 0; d < shape.size(); ++d) {
            const std::int64_t place =
                static_cast<std::int64_t>(at) / strides[d] % shape[d] - before[d];
            inside = inside && place >= 0 && place < input[d];
        }
        around[at] = inside ? 0.0F : around[at];
    }
    Node zeros = node;
    zeros.attributes.set(zeros.attributes.has("value") ? "value" : "constant_value", 0.0);
    zeros.outputs = {graph.add_value(node.name + ".zeros", shape)};
    const ValueId constant = graph.add_constant(node.name + ".around", shape, std::move(around));
    nodes.push_back(zeros);
    nodes.push_back({node.name, "Sub", {zeros.outputs[0], constant}, node.outputs, {}});
}

/// Gathers by the same indices in a list, and reshapes to the dimensions of the table.
void write_table(Graph& graph, std::vector<Node>& nodes, const Node& node, const Array& table)
{
    const Shape input = graph.value(node.inputs[0]).shape;
    Node list = node;
    list.attributes.set("indices", Array{{element_count(table.shape)}, table.values});
    Shape shape = input;
    shape[axis_in(node.attributes.integer("axis", 0), input.size())] = element_count(table.shape);
    list.outputs = {graph.add_value(node.name + ".list", shape)};
    Attributes to;
    to.set("shape", graph.value(node.outputs[0]).shape);
    nodes.push_back(list);
    nodes.push_back({node.name, "Reshape", {list.outputs[0]}, node.outputs, std::move(to)});
}

bool resizes_several(const Graph& graph, const Node& node)
{
    return node.op == "Resize" &&
           std::ranges::count_if(resized_axes(node, graph.value(node.inputs[0]).shape),
                                 &ResizedAxis::changes) > 1;
}

/// Resizes along one dimension after the other, as all modes are separable.
void write_resizes(Graph& graph, std::vector<Node>& nodes, const Node& node)
{
    ValueId from = node.inputs[0];
    Shape shape = graph.value(from).shape;
    const std::vector<ResizedAxis> axes = resized_axes(node, shape);
    const auto last = std::find_if(axes.rbegin(), axes.rend(),
                                   [](const ResizedAxis& axis) { return axis.changes(); });
    for (std::size_t d = 0; d < axes.size(); ++d) {
        if (!axes[d].changes()) {
            continue;
        }
        const bool is_last = &axes[d] == &*last;
        shape[d] = axes[d].out;
        Node one = node;
        for (const char* of_all : {"roi", "axes", "scales", "sizes"}) {
            one.attributes.erase(of_all);
        }
        // By its size where the scale follows from it, else by its scale.
        if (node.attributes.reals("scales").empty()) {
            one.attributes.set("sizes", shape);
        } else {
            std::vector<float> scales(shape.size(), 1);
            scales[d] = static_cast<float>(axes[d].scale);
            one.attributes.set("scales", Array{{std::ssize(scales)}, std::move(scales)});
        }
        one.name = is_last ? node.name : node.name + ".along" + std::to_string(d);
        one.inputs = {from};
        one.outputs = {is_last ? node.outputs[0] : graph.add_value(one.name, shape)};
        from = one.outputs[0];
        nodes.push_back(std::move(one));
    }
}

bool gives_statistics(const Node& node)
{
    return std::any_of(node.outputs.begin() + 1, node.outputs.end(),
                       [](ValueId id) { return id != no_value; });
}

ValueId input(const Node& node, std::size_t number)
{
    return number < node.inputs.size() ? node.inputs[number] : no_value;
}

} // namespace

Graph decomposed(const Graph& whole)
{
    const Graph graph = without_empty(whole);
    Graph result = graph;
    std::vector<Node> nodes;
    for (const Node& node : graph.nodes) {
        Normalisation parts(result, nodes, node);
        const std::size_t rank = node.inputs.empty() || node.inputs[0] == no_value
                                     ? 0
                                     : graph.value(node.inputs[0]).shape.size();
        if (node.op == "InstanceNormalization") {
            const ValueId scale = parts.of_channels(node.inputs[1]);
            parts.write(2, scale, parts.of_channels(node.inputs[2]));
        } else if (node.op == "LayerNormalization" &&
                   (axis_in(node.attributes.integer("axis", -1), rank) + 1 < rank ||
                    gives_statistics(node))) {
            parts.write(axis_in(node.attributes.integer("axis", -1), rank), input(node, 1),
                        input(node, 2));
        } else if (pads_with_a_number(result, node)) {
            write_padding(result, nodes, node);
        } else if (resizes_several(result, node)) {
            write_resizes(result, nodes, node);
        } else if (node.op == "Gather" && node.attributes.has("indices") &&
                   node.attributes.integer_array("indices").shape.size() > 1) {
            write_table(result, nodes, node, node.attributes.integer_array("indices"));
        } else {
            nodes.push_back(node);
        }
    }
    result.nodes = std::move(nodes);
    return result;
}

} // namespace texelscope::networks
