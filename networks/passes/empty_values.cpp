#include "networks/passes/empty_values.hpp"

#include "networks/operators/node_operator.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace texelscope::networks {
namespace {

class Emptying {
public:
    explicit Emptying(Graph& graph) : graph_(graph) {}

    void go_through()
    {
        for (Node& node : std::exchange(graph_.nodes, {})) {
            if (std::ranges::all_of(node.outputs,
                                    [&](ValueId id) { return id == no_value || is_empty(id); })) {
                for (const ValueId id : node.outputs) {
                    make_constant(id, {});
                }
            } else if (node.op == "Split") {
                add_split(std::move(node));
            } else if (std::ranges::any_of(node.inputs, [&](ValueId id) { return is_empty(id); })) {
                add_with_empty_inputs(std::move(node));
            } else {
                graph_.nodes.push_back(std::move(node));
            }
        }
    }

private:
    [[nodiscard]] bool is_empty(ValueId id) const
    {
        return id != no_value && element_count(graph_.value(id).shape) == 0;
    }

    void make_constant(ValueId id, std::vector<float> numbers)
    {
        if (id != no_value) {
            graph_.constants[id] = std::move(numbers);
        }
    }

    /// A Slice for each part with numbers, where some have none.
    void add_split(Node node)
    {
        if (std::ranges::none_of(node.outputs, [&](ValueId id) { return is_empty(id); })) {
            graph_.nodes.push_back(std::move(node));
            return;
        }
        const Shape& shape = graph_.value(node.inputs[0]).shape;
        const std::size_t axis = axis_in(node.attributes.integer("axis", 0), shape.size());
        std::int64_t start = 0;
        for (const ValueId part : node.outputs) {
            const std::int64_t end = start + graph_.value(part).shape[axis];
            if (is_empty(part)) {
                make_constant(part, {});
            } else {
                Attributes attributes;
                attributes.set("axes", std::vector{static_cast<std::int64_t>(axis)});
                attributes.set("starts", std::vector{start});
                attributes.set("ends", std::vector{end});
                graph_.nodes.push_back({node.name + "." + graph_.value(part).name,
                                        "Slice",
                                        {node.inputs[0]},
                                        {part},
                                        std::move(attributes),
                                        node.every});
            }
            start = end;
        }
    }

    void add_with_empty_inputs(Node node)
    {
        if (node.op == "Concat") {
            std::erase_if(node.inputs, [&](ValueId id) { return is_empty(id); });
            graph_.nodes.push_back(std::move(node));
            return;
        }
        std::vector<Reals> numbers(node.inputs.size());
        NodeOperator::Operands operands;
        const NodeOperator& op = *find_node_operator(node.op);
        for (std::size_t i = 0; i < node.inputs.size(); ++i) {
            const ValueId id = node.inputs[i];
            const auto constant = graph_.constants.find(id);
            if (id != no_value && !is_empty(id) && constant == graph_.constants.end()) {
                graph_.nodes.push_back(std::move(node)); // refused where kernels are made
                return;
            }
            if (id != no_value) {
                numbers[i].shape = graph_.value(id).shape;
                if (!is_empty(id)) {
                    numbers[i].values.assign(constant->second.begin(), constant->second.end());
                }
            }
            operands.push_back(id == no_value ? nullptr : &numbers[i]);
        }
        operands.resize(std::max(operands.size(), op.most < 16 ? op.most : operands.size()),
                        nullptr);
        const std::vector<Reals> made = op.reference(node, operands);
        for (std::size_t i = 0; i < node.outputs.size(); ++i) {
            make_constant(node.outputs[i], {made[i].values.begin(), made[i].values.end()});
        }
    }

    Graph& graph_;
};

} // namespace

Graph without_empty(Graph graph)
{
    Emptying(graph).go_through();
    return graph;
}

} // namespace texelscope::networks
