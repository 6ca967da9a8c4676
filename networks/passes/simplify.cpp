#include "networks/passes/simplify.hpp"

#include "networks/passes/decompose.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <set>
#include <vector>

namespace texelscope::networks {
namespace {

/// How often each value is read, by the caller too.
std::vector<int> readers(const Graph& graph)
{
    std::vector<int> counts(graph.values.size(), 0);
    const auto count = [&](ValueId id) {
        if (id != no_value) {
            ++counts[static_cast<std::size_t>(id)];
        }
    };
    std::ranges::for_each(graph.outputs, count);
    for (const Node& node : graph.nodes) {
        std::ranges::for_each(node.inputs, count);
    }
    return counts;
}

const std::vector<float>* constant(const Graph& graph, ValueId id)
{
    const auto found = graph.constants.find(id);
    return found == graph.constants.end() ? nullptr : &found->second;
}

/// What a batch normalisation does to each channel when its numbers are constant: y = x scale +
/// shift.
struct Affine {
    std::vector<double> scale;
    std::vector<double> shift;
};

/// With scale = gamma / sqrt(variance + epsilon) and shift = beta - mean scale. Empty if one of its
/// numbers is no constant.
std::vector<Affine> affine_of(const Graph& graph, const Node& norm)
{
    std::vector<const std::vector<float>*> given;
    for (std::size_t i = 1; i < norm.inputs.size(); ++i) {
        given.push_back(constant(graph, norm.inputs[i]));
    }
    if (given.size() != 4 || std::ranges::count(given, nullptr) > 0) {
        return {};
    }
    const double epsilon = norm.attributes.real("epsilon", 1e-5);
    Affine affine;
    for (std::size_t c = 0; c < given[0]->size(); ++c) {
        const double scale = static_cast<double>((*given[0])[c]) /
                             std::sqrt(static_cast<double>((*given[3])[c]) + epsilon);
        affine.scale.push_back(scale);
        affine.shift.push_back(static_cast<double>((*given[1])[c]) -
                               static_cast<double>((*given[2])[c]) * scale);
    }
    return {affine};
}

/// Changes a convolution to do what the normalisation behind it does: weights of a channel times
/// scale, its bias times scale plus shift.
void take_in(Graph& graph, Node& conv, const Node& norm, const Affine& affine)
{
    const Value weights = graph.value(conv.inputs[1]);
    std::vector<float> numbers = graph.constants.at(conv.inputs[1]);
    const bool transposed = conv.op == "ConvTranspose";
    const std::int64_t of_filter = std::ssize(numbers) / weights.shape[0];
    const std::int64_t taps = element_count({weights.shape.begin() + 2, weights.shape.end()});
    const std::int64_t of_group = weights.shape[1]; // outputs of a group, where it is transposed
    const std::int64_t inputs_of_group = weights.shape[0] / conv.attributes.integer("group", 1);
    for (std::int64_t at = 0; at < std::ssize(numbers); ++at) {
        const std::int64_t first = at / of_filter;
        // Weights of a Conv are output channels first. Those of a ConvTranspose are input channels
        // first, then output channels within the group.
        const std::int64_t channel =
            transposed ? first / inputs_of_group * of_group + at / taps % of_group : first;
        float& number = numbers[static_cast<std::size_t>(at)];
        number = static_cast<float>(static_cast<double>(number) *
                                    affine.scale[static_cast<std::size_t>(channel)]);
    }
    std::vector<float> bias;
    const bool has_bias = conv.inputs.size() > 2 && conv.inputs[2] != no_value;
    for (std::size_t c = 0; c < affine.scale.size(); ++c) {
        const double own =
            has_bias ? static_cast<double>(graph.constants.at(conv.inputs[2])[c]) : 0;
        bias.push_back(static_cast<float>(own * affine.scale[c] + affine.shift[c]));
    }
    conv.inputs.resize(3, no_value);
    conv.inputs[1] =
        graph.add_constant(weights.name + ".normalized", weights.shape, std::move(numbers));
    const Shape of_bias{std::ssize(bias)};
    conv.inputs[2] = graph.add_constant(weights.name + ".shift", of_bias, std::move(bias));
    conv.outputs[0] = norm.outputs[0];
}

/// Merges each batch normalisation into the convolution that makes its input, if that value has no
/// other reader and all numbers are constants.
void fold_normalisations(Graph& graph)
{
    const std::vector<int> read = readers(graph);
    std::map<ValueId, std::size_t> made_by; // convolutions
    std::vector<Node> nodes;
    for (const Node& node : graph.nodes) {
        if (node.op == "BatchNormalization") {
            const auto conv = made_by.find(node.inputs[0]);
            const std::vector<Affine> affine = affine_of(graph, node);
            if (conv != made_by.end() && !affine.empty() &&
                read[static_cast<std::size_t>(node.inputs[0])] == 1) {
                take_in(graph, nodes[conv->second], node, affine.front());
                continue;
            }
        }
        const bool has_constants = node.inputs.size() >= 2 &&
                                   constant(graph, node.inputs[1]) != nullptr &&
                                   (node.inputs.size() < 3 || node.inputs[2] == no_value ||
                                    constant(graph, node.inputs[2]) != nullptr);
        if ((node.op == "Conv" || node.op == "ConvTranspose") && has_constants) {
            made_by[node.outputs[0]] = nodes.size();
        }
        nodes.push_back(node);
    }
    graph.nodes = std::move(nodes);
}

/// Readers of what an identity hands on read its input instead. An identity whose output the caller
/// wants stays, so that the output keeps its name.
void drop_identities(Graph& graph)
{
    const std::set<ValueId> wanted(graph.outputs.begin(), graph.outputs.end());
    std::map<ValueId, ValueId> same;
    std::vector<Node> nodes;
    for (Node& node : graph.nodes) {
        for (ValueId& input : node.inputs) {
            const auto found = same.find(input);
            input = found == same.end() ? input : found->second;
        }
        if ((node.op == "Identity" || node.op == "Dropout") && !wanted.contains(node.outputs[0])) {
            same[node.outputs[0]] = node.inputs[0];
            continue;
        }
        nodes.push_back(std::move(node));
    }
    graph.nodes = std::move(nodes);
}

} // namespace

Graph simplified(const Graph& graph, bool fold)
{
    Graph simple = decomposed(graph);
    drop_identities(simple);
    if (fold) {
        fold_normalisations(simple);
    }
    const std::vector<int> read = readers(simple);
    std::erase_if(simple.constants, [&](const auto& each) {
        return read[static_cast<std::size_t>(each.first)] == 0;
    });
    return simple;
}

} // namespace texelscope::networks
