#include "networks/training/gradients.hpp"

#include "base/error.hpp"
#include "networks/operators/node_operator.hpp"
#include "networks/training/gradient_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace texelscope::networks {
namespace {

const GradientRules& gradient_rules()
{
    static const GradientRules all = [] {
        GradientRules joined;
        for (GradientRules family : {elementwise_gradients(), contraction_gradients(), axis_gradients(),
                                     movement_gradients(), pool_gradients()}) {
            joined.merge(std::move(family));
        }
        return joined;
    }();
    return all;
}

/// Of each value, whether the loss may depend on one of these through it.
std::vector<bool> depending_on(const Graph& graph, const std::vector<ValueId>& wanted)
{
    std::vector<bool> depends(graph.values.size(), false);
    for (const ValueId value : wanted) {
        depends[static_cast<std::size_t>(value)] = true;
    }
    for (const Node& node : graph.nodes) {
        const bool any = std::ranges::any_of(
            node.inputs, [&](ValueId input) { return input != no_value && depends[static_cast<std::size_t>(input)]; });
        for (const ValueId output : node.outputs) {
            if (output != no_value) {
                depends[static_cast<std::size_t>(output)] = depends[static_cast<std::size_t>(output)] || any;
            }
        }
    }
    return depends;
}

} // namespace

Gradients with_gradients(Graph graph, ValueId loss, const std::vector<ValueId>& wanted)
{
    if (element_count(graph.value(loss).shape) != 1) {
        throw bad_input("a loss is one number, not " + to_string(graph.value(loss).shape), graph.value(loss).name);
    }
    const std::vector<bool> depends = depending_on(graph, wanted);
    const std::vector<Node> forward = graph.nodes;
    GradientWriter writer(graph);
    std::map<ValueId, std::vector<ValueId>> parts; // of each value's gradient
    std::map<ValueId, ValueId> known;
    const auto gradient = [&](ValueId value) {
        const auto found = parts.find(value);
        if (found == parts.end()) {
            return no_value;
        }
        const auto [sum, fresh] = known.try_emplace(value, no_value);
        if (fresh) {
            const std::vector<ValueId>& all = found->second;
            sum->second = all.front();
            for (std::size_t i = 1; i < all.size(); ++i) {
                sum->second = writer.node("Add", {sum->second, all[i]});
            }
        }
        return sum->second;
    };
    parts[loss] = {graph.add_constant("backward.loss", graph.value(loss).shape, {1.0F})};
    for (auto node = forward.rbegin(); node != forward.rend(); ++node) {
        NodeToDerive derived{*node, {}, {}};
        for (const ValueId output : node->outputs) {
            derived.gradients.push_back(output == no_value ? no_value : gradient(output));
        }
        for (const ValueId input : node->inputs) {
            derived.wanted.push_back(input != no_value && depends[static_cast<std::size_t>(input)]);
        }
        if (std::ranges::count(derived.wanted, true) == 0 ||
            std::ranges::all_of(derived.gradients, [](ValueId id) { return id == no_value; })) {
            continue;
        }
        const auto rule = gradient_rules().find(node->op);
        if (rule == gradient_rules().end()) {
            throw bad_input("there is no gradient of " + node->op, fmt::format("node '{}'", node->name));
        }
        const std::vector<ValueId> made = rule->second(writer, derived);
        for (std::size_t i = 0; i < made.size(); ++i) {
            if (made[i] != no_value && derived.wants(i)) {
                parts[node->inputs[i]].push_back(made[i]);
            }
        }
    }
    Gradients result;
    for (const ValueId value : wanted) {
        if (const ValueId found = gradient(value); found != no_value) {
            result.of[value] = found;
        }
    }
    result.graph = std::move(graph);
    return result;
}

std::vector<ValueId> parameters(const Graph& graph)
{
    static const std::set<std::string> learned{
        "Conv", "ConvTranspose", "Gemm", "MatMul", "BatchNormalization", "LayerNormalization", "InstanceNormalization",
        "Add",  "Mul",           "PRelu"};
    constexpr std::size_t first_measured = 3; // of a batch normalisation: mean and variance
    std::set<ValueId> found;
    for (const Node& node : graph.nodes) {
        for (std::size_t i = 0; i < node.inputs.size() && learned.contains(node.op); ++i) {
            const ValueId input = node.inputs[i];
            if (graph.constants.contains(input) && element_count(graph.value(input).shape) > 1 &&
                !(node.op == "BatchNormalization" && i >= first_measured)) {
                found.insert(input);
            }
        }
    }
    return {found.begin(), found.end()};
}

} // namespace texelscope::networks
