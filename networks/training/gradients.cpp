#include "networks/training/gradients.hpp"

#include "base/error.hpp"
#include "networks/operators/node_operator.hpp"
#include "networks/training/gradient_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

namespace texelscope::networks {
namespace {

const GradientRules& gradient_rules()
{
    static const GradientRules all = [] {
        GradientRules joined;
        for (GradientRules family : {elementwise_gradients(), contraction_gradients(),
                                     axis_gradients(), movement_gradients(), pool_gradients()}) {
            joined.merge(std::move(family));
        }
        return joined;
    }();
    return all;
}

/// For each value, whether it depends on one of the wanted values, so that gradients must flow
/// through it.
std::vector<bool> depending_on(const Graph& graph, const std::vector<ValueId>& wanted)
{
    std::vector<bool> depends(graph.values.size(), false);
    for (const ValueId value : wanted) {
        depends[static_cast<std::size_t>(value)] = true;
    }
    for (const Node& node : graph.nodes) {
        const bool any = !node.attributes.has("detached") &&
                         std::ranges::any_of(node.inputs, [&](ValueId input) {
                             return input != no_value && depends[static_cast<std::size_t>(input)];
                         });
        for (const ValueId output : node.outputs) {
            if (output != no_value) {
                depends[static_cast<std::size_t>(output)] =
                    depends[static_cast<std::size_t>(output)] || any;
            }
        }
    }
    return depends;
}

/// Goes through the nodes from the last to the first. derive() writes the gradients that a node
/// gives to its inputs; gradient() adds up what a value has got, the first time that it is asked
/// for.
class Differentiation {
public:
    Differentiation(Graph& graph, ValueId loss, const std::vector<ValueId>& wanted, double factor)
        : writer_(graph), depends_(depending_on(graph, wanted))
    {
        for (const ValueId value : wanted) {
            readers_[value] = 0;
        }
        for (const Node& node : graph.nodes) {
            for (const ValueId input : inputs_of(node)) {
                ++readers_[input];
            }
        }
        const Shape shape = graph.value(loss).shape;
        // d loss / d loss, times the factor.
        parts_[loss] = {graph.add_constant("backward.loss", shape, {static_cast<float>(factor)})};
    }

    /// Adds what the node hands back to its inputs.
    void derive(const Node& node)
    {
        NodeToDerive derived{node, {}, {}};
        for (const ValueId output : node.outputs) {
            derived.gradients.push_back(output == no_value ? no_value : gradient(output));
        }
        for (const ValueId input : node.inputs) {
            derived.wanted.push_back(input != no_value &&
                                     depends_[static_cast<std::size_t>(input)]);
        }
        if (node.attributes.has("detached") || std::ranges::count(derived.wanted, true) == 0 ||
            std::ranges::all_of(derived.gradients, [](ValueId id) { return id == no_value; })) {
            return;
        }
        const auto rule = gradient_rules().find(node.op);
        if (rule == gradient_rules().end()) {
            throw bad_input("there is no gradient of " + node.op,
                            fmt::format("node '{}'", node.name));
        }
        const std::vector<ValueId> made = rule->second(writer_, derived);
        for (std::size_t i = 0; i < made.size(); ++i) {
            if (made[i] != no_value && derived.wants(i)) {
                parts_[node.inputs[i]].push_back(made[i]);
            }
        }
    }

    /// The wanted values whose gradient is complete once this node is derived, since no earlier
    /// node reads them.
    [[nodiscard]] std::vector<ValueId> finished(const Node& node)
    {
        std::vector<ValueId> values;
        for (const ValueId input : inputs_of(node)) {
            if (--readers_[input] == 0) {
                values.push_back(input);
            }
        }
        return values;
    }

    /// The gradient of a value: the sum of what its readers gave; no_value where none gave any.
    ValueId gradient(ValueId value)
    {
        const auto found = parts_.find(value);
        if (found == parts_.end()) {
            return no_value;
        }
        const auto [sum, fresh] = sums_.try_emplace(value, no_value);
        if (fresh) {
            const std::vector<ValueId>& all = found->second;
            sum->second = all.front();
            for (std::size_t i = 1; i < all.size(); ++i) {
                sum->second = writer_.node("Add", {sum->second, all[i]});
            }
        }
        return sum->second;
    }

    GradientWriter& writer() { return writer_; }

private:
    /// The inputs of a node that are wanted, each once, even if the node reads one twice.
    [[nodiscard]] std::set<ValueId> inputs_of(const Node& node) const
    {
        std::set<ValueId> inputs;
        std::ranges::copy_if(node.inputs, std::inserter(inputs, inputs.end()),
                             [&](ValueId input) { return readers_.contains(input); });
        return inputs;
    }

    GradientWriter writer_;
    std::vector<bool> depends_;
    /// For each wanted value, how many nodes that read it are still to be derived.
    std::map<ValueId, int> readers_;
    std::map<ValueId, std::vector<ValueId>> parts_; ///< of each value's gradient
    std::map<ValueId, ValueId> sums_;
};

} // namespace

Gradients with_gradients(Graph graph, ValueId loss, const std::vector<ValueId>& wanted,
                         double factor, const OnGradient& known)
{
    if (element_count(graph.value(loss).shape) != 1) {
        throw bad_input("a loss is one number, not " + to_string(graph.value(loss).shape),
                        graph.value(loss).name);
    }
    const std::vector<Node> forward = graph.nodes;
    Differentiation pass(graph, loss, wanted, factor);
    Gradients result;
    for (std::size_t node = 0; node < forward.size(); ++node) {
        result.layer_of.push_back(node);
    }
    for (std::size_t node = forward.size(); node-- > 0;) {
        pass.derive(forward[node]);
        for (const ValueId value : pass.finished(forward[node])) {
            if (const ValueId gradient = pass.gradient(value); gradient != no_value) {
                result.of[value] = gradient;
                if (known) {
                    known(pass.writer(), value, gradient);
                }
            }
        }
        // Whatever was written since belongs to this node of the forward pass.
        result.layer_of.resize(graph.nodes.size(), node);
    }
    result.graph = std::move(graph);
    return result;
}

std::vector<ValueId> parameters(const Graph& graph)
{
    static const std::set<std::string> learned{"Conv",
                                               "ConvTranspose",
                                               "Gemm",
                                               "MatMul",
                                               "BatchNormalization",
                                               "LayerNormalization",
                                               "InstanceNormalization",
                                               "Add",
                                               "Mul",
                                               "PRelu"};
    constexpr std::size_t first_measured = 3; // of a batch normalisation: mean and variance
    std::set<ValueId> found;
    for (const Node& node : graph.nodes) {
        // A single number that is added or multiplied is an epsilon or a scale, not a weight.
        const std::int64_t least = node.op == "Add" || node.op == "Mul" ? 2 : 1;
        for (std::size_t i = 0; i < node.inputs.size() && learned.contains(node.op); ++i) {
            const ValueId input = node.inputs[i];
            if (graph.constants.contains(input) &&
                element_count(graph.value(input).shape) >= least &&
                !(node.op == "BatchNormalization" && i >= first_measured)) {
                found.insert(input);
            }
        }
    }
    return {found.begin(), found.end()};
}

} // namespace texelscope::networks
