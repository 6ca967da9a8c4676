#include "base/error.hpp"
#include "networks/operators/families.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace texelscope::networks {
// In this file: the table of operators, and what goes by it for whole graphs: shapes, checks, and
// reference values.
namespace {

std::string where(const Node& node)
{
    return fmt::format("node '{}' ({})", node.name, node.op);
}

const NodeOperator& operator_of(const Node& node)
{
    const NodeOperator* const found = find_node_operator(node.op);
    if (found == nullptr) {
        throw bad_input("there is no such operator here: " + node.op);
    }
    return *found;
}

} // namespace

const std::vector<NodeOperator>& node_operators()
{
    static const std::vector<NodeOperator> table = [] {
        std::vector<NodeOperator> all;
        // The order of the documentation.
        for (auto family :
             {contraction_operators, elementwise_operators, pool_operators, axis_operators,
              reshape_operators, movement_operators, resize_operators, gradient_operators}) {
            std::vector<NodeOperator> rows = family();
            std::ranges::move(rows, std::back_inserter(all));
        }
        return all;
    }();
    return table;
}

const NodeOperator* find_node_operator(const std::string& name)
{
    const auto found = std::ranges::find(node_operators(), name, &NodeOperator::name);
    return found == node_operators().end() ? nullptr : &*found;
}

std::vector<Shape> inferred_shapes(const Graph& graph, const Node& node)
{
    const NodeOperator& op = operator_of(node);
    // Trailing inputs that are not given do not count, but the required ones must be there.
    NodeOperator::Shapes inputs;
    std::size_t given = 0;
    for (const ValueId id : node.inputs) {
        inputs.push_back(id == no_value ? nullptr : &graph.value(id).shape);
        given = id == no_value ? given : inputs.size();
    }
    inputs.resize(given);
    if (given < op.least || given > op.most ||
        std::any_of(inputs.begin(), inputs.begin() + static_cast<std::ptrdiff_t>(op.least),
                    [](const Shape* shape) { return shape == nullptr; })) {
        throw bad_input(fmt::format("{} inputs are given, it takes {}", given,
                                    op.least == op.most
                                        ? fmt::format("{}", op.least)
                                        : fmt::format("{} to {}", op.least, op.most)));
    }
    // Optional inputs that are not given become null up to `most`, so that a row may index them
    // without looking. Operators with any number of inputs (most of 1000) get just those that are
    // given.
    inputs.resize(std::max(inputs.size(), op.most < 16 ? op.most : given), nullptr);
    return op.infer(node, inputs);
}

std::vector<Shape> output_shapes(const Graph& graph, const Node& node)
{
    try {
        return inferred_shapes(graph, node);
    } catch (const Error& error) {
        throw bad_input(error.what(), where(node));
    }
}

bool jumps(const Node& node)
{
    return node.op == "Round" || node.op == "Floor" || node.op == "Ceil" || node.op == "Sign";
}

double multiply_adds(const Graph& graph, const Node& node)
{
    const NodeOperator& op = operator_of(node);
    NodeOperator::Shapes inputs;
    for (const ValueId id : node.inputs) {
        inputs.push_back(id == no_value ? nullptr : &graph.value(id).shape);
    }
    return op.multiply_adds ? op.multiply_adds(inputs, graph.value(node.outputs.front()).shape) : 0;
}

void check_graph(const Graph& graph)
{
    std::vector<bool> made(graph.values.size(), false);
    const auto make = [&](ValueId id, const std::string& by) {
        if (id < 0 || static_cast<std::size_t>(id) >= made.size() ||
            made[static_cast<std::size_t>(id)]) {
            throw bad_input("it is made twice, or does not exist",
                            fmt::format("value {} of {}", id, by));
        }
        made[static_cast<std::size_t>(id)] = true;
    };
    const auto use = [&](ValueId id, const std::string& by) {
        if (id < 0 || static_cast<std::size_t>(id) >= made.size() ||
            !made[static_cast<std::size_t>(id)]) {
            throw bad_input("it is used before it is made", fmt::format("value {} of {}", id, by));
        }
    };
    for (const ValueId id : graph.inputs) {
        // Values are numbered once, so a second maker, or a number beyond the table, is an error of
        // whoever built the graph.
        make(id, "the inputs");
    }
    for (const auto& [id, numbers] : graph.constants) {
        make(id, "the constants");
        if (std::ssize(numbers) != element_count(graph.value(id).shape)) {
            throw bad_input(fmt::format("{} numbers for a shape of {}", numbers.size(),
                                        to_string(graph.value(id).shape)),
                            "constant '" + graph.value(id).name + "'");
        }
    }
    for (const Node& node : graph.nodes) {
        for (const ValueId id : node.inputs) {
            if (id != no_value) {
                use(id, where(node));
            }
        }
        const std::vector<Shape> shapes = output_shapes(graph, node);
        for (std::size_t i = 0; i < node.outputs.size(); ++i) {
            if (node.outputs[i] != no_value) {
                make(node.outputs[i], where(node));
                if (i >= shapes.size() || graph.value(node.outputs[i]).shape != shapes[i]) {
                    throw bad_input("an output does not have the shape that the operator gives it",
                                    where(node));
                }
            }
        }
    }
    for (const ValueId id : graph.outputs) {
        use(id, "the outputs");
    }
    for (const Carried& each : graph.carried) {
        use(each.input, "what is carried");
        use(each.next, "what is carried");
        if (graph.value(each.input).shape != graph.value(each.next).shape) {
            throw bad_input("what takes its place has another shape",
                            "value '" + graph.value(each.input).name + "'");
        }
    }
}

std::vector<Reals> reference_values(const Graph& graph, const std::vector<Reals>& inputs, bool keep,
                                    const std::function<void(ValueId, Reals&)>& computed)
{
    if (inputs.size() != graph.inputs.size()) {
        throw bad_input(fmt::format("{} inputs are given, the network takes {}", inputs.size(),
                                    graph.inputs.size()));
    }
    std::vector<Reals> values(graph.values.size());
    // How many nodes and outputs have yet to read each value; with none left its numbers are freed,
    // so that large networks fit into memory.
    std::vector<int> readers(graph.values.size(), 0);
    for (const Node& node : graph.nodes) {
        for (const ValueId id : node.inputs) {
            readers[static_cast<std::size_t>(std::max(id, 0))] += id == no_value ? 0 : 1;
        }
    }
    for (const ValueId id : graph.outputs) {
        ++readers[static_cast<std::size_t>(id)];
    }
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const Value& value = graph.value(graph.inputs[i]);
        if (inputs[i].shape != value.shape) {
            throw bad_input(fmt::format("it is {}, and is given {}", to_string(value.shape),
                                        to_string(inputs[i].shape)),
                            "input '" + value.name + "'");
        }
        values[static_cast<std::size_t>(graph.inputs[i])] = inputs[i];
    }
    for (const auto& [id, numbers] : graph.constants) {
        values[static_cast<std::size_t>(id)] = {graph.value(id).shape,
                                                {numbers.begin(), numbers.end()}};
    }
    for (const Node& node : graph.nodes) {
        const NodeOperator& op = operator_of(node);
        NodeOperator::Operands operands;
        for (const ValueId id : node.inputs) {
            operands.push_back(id == no_value ? nullptr : &values[static_cast<std::size_t>(id)]);
        }
        operands.resize(std::max(operands.size(), op.most < 16 ? op.most : operands.size()),
                        nullptr);
        std::vector<Reals> made = op.reference(node, operands);
        for (std::size_t i = 0; i < node.outputs.size(); ++i) {
            if (node.outputs[i] != no_value) {
                Reals& value = values[static_cast<std::size_t>(node.outputs[i])];
                value = std::move(made.at(i));
                if (computed) {
                    computed(node.outputs[i], value);
                }
            }
        }
        for (const ValueId id : node.inputs) {
            if (id != no_value && --readers[static_cast<std::size_t>(id)] == 0 && !keep) {
                values[static_cast<std::size_t>(id)].values = {};
            }
        }
    }
    return values;
}

} // namespace texelscope::networks
