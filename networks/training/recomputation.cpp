#include "networks/training/recomputation.hpp"

#include "networks/operators/node_operator.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <utility>

namespace texelscope::networks {
namespace {

/// A value is kept if it is smaller than the block's largest by more than this factor.
constexpr std::int64_t small_part = 16;

/// Forward nodes come first in a step.
std::size_t forward_nodes(const TrainingStep& step)
{
    return static_cast<std::size_t>(std::ranges::count(step.passes, Pass::forward));
}

/// The last node that reads each value, among the first `nodes`; 0 where none does.
std::vector<std::size_t> last_readers(const Graph& graph, std::size_t nodes)
{
    std::vector<std::size_t> last(graph.values.size(), 0);
    for (std::size_t node = 0; node < nodes; ++node) {
        for (const ValueId input : graph.nodes[node].inputs) {
            if (input != no_value) {
                last[static_cast<std::size_t>(input)] = node;
            }
        }
    }
    return last;
}

/// The values of a block that need not be kept: large ones (small_part) that nothing in the forward
/// pass behind the block reads. The loss is always kept.
std::set<ValueId> dropped_values(const TrainingStep& step, const Block& block)
{
    const Graph& graph = step.graph;
    const std::vector<std::size_t> last = last_readers(graph, forward_nodes(step));
    std::int64_t largest = 0;
    std::set<ValueId> made;
    for (std::size_t node = block.first; node < block.end; ++node) {
        for (const ValueId output : graph.nodes[node].outputs) {
            if (output != no_value && last[static_cast<std::size_t>(output)] < block.end) {
                made.insert(output);
                largest = std::max(largest, element_count(graph.value(output).shape));
            }
        }
    }
    std::erase_if(made, [&](ValueId value) {
        return element_count(graph.value(value).shape) * small_part < largest || value == step.loss;
    });
    return made;
}

/// The nodes of a block that have to be run again for what the backward pass reads of it, in their
/// order. They start from values that are kept.
std::vector<std::size_t> nodes_again(const TrainingStep& step, const Block& block,
                                     const std::set<ValueId>& dropped)
{
    const Graph& graph = step.graph;
    std::set<ValueId> needed;
    for (std::size_t node = forward_nodes(step); node < graph.nodes.size(); ++node) {
        std::ranges::copy_if(graph.nodes[node].inputs, std::inserter(needed, needed.end()),
                             [&](ValueId input) { return dropped.contains(input); });
    }
    // From the last node to the first, so that the inputs of a needed node become needed as well.
    std::vector<std::size_t> nodes;
    for (std::size_t node = block.end; node-- > block.first;) {
        const Node& each = graph.nodes[node];
        if (std::ranges::any_of(each.outputs,
                                [&](ValueId output) { return needed.contains(output); })) {
            nodes.push_back(node);
            std::ranges::copy_if(each.inputs, std::inserter(needed, needed.end()),
                                 [&](ValueId input) { return dropped.contains(input); });
        }
    }
    std::ranges::reverse(nodes);
    return nodes;
}

/// Multiply-adds; a node without products counts half of one for each element that it makes.
double operations_of(const Graph& graph, const std::vector<std::size_t>& nodes)
{
    double sum = 0;
    for (const std::size_t node : nodes) {
        const Node& each = graph.nodes[node];
        sum += std::max(
            multiply_adds(graph, each),
            static_cast<double>(element_count(graph.value(each.outputs.front()).shape)) / 2);
    }
    return sum;
}

/// What it costs to compute a block again; 0 if the backward pass needs none of the values that
/// could be dropped.
double operations_again(const TrainingStep& step, const Block& block)
{
    return operations_of(step.graph, nodes_again(step, block, dropped_values(step, block)));
}

/// Copies of nodes, with values of their own; copy_of() maps a value to its copy.
class NodesAgain {
public:
    NodesAgain(Graph& graph, const std::vector<std::size_t>& numbers,
               const std::vector<Node>& forward)
    {
        for (const std::size_t number : numbers) {
            Node node = forward[number];
            node.name += ".again";
            for (ValueId& input : node.inputs) {
                input = copy_of(input);
            }
            for (ValueId& output : node.outputs) {
                if (output != no_value) {
                    const Value original = graph.value(output);
                    const ValueId copy = graph.add_value(original.name + ".again", original.shape);
                    copies_[output] = copy;
                    output = copy;
                }
            }
            this->nodes.push_back(std::move(node));
        }
    }

    [[nodiscard]] ValueId copy_of(ValueId value) const
    {
        const auto found = copies_.find(value);
        return found == copies_.end() ? value : found->second;
    }

    std::vector<Node> nodes;

private:
    std::map<ValueId, ValueId> copies_;
};

/// Cuts the forward pass wherever only one value is read behind the cut, so no block can be divided
/// further.
std::vector<Block> smallest_blocks(const TrainingStep& step)
{
    const Graph& graph = step.graph;
    const std::size_t nodes = forward_nodes(step);
    const std::vector<std::size_t> last = last_readers(graph, nodes);
    std::vector<Block> blocks;
    std::set<ValueId> going_on; // values that nodes behind read
    std::size_t first = 0;
    for (std::size_t node = 0; node < nodes; ++node) {
        for (const ValueId output : graph.nodes[node].outputs) {
            if (output != no_value && last[static_cast<std::size_t>(output)] > node) {
                going_on.insert(output);
            }
        }
        std::erase_if(going_on,
                      [&](ValueId value) { return last[static_cast<std::size_t>(value)] <= node; });
        if (going_on.size() <= 1) {
            blocks.push_back({first, node + 1, 0});
            first = node + 1;
        }
    }
    for (Block& block : blocks) {
        block.operations = operations_again(step, block);
    }
    return blocks;
}

} // namespace

std::vector<Block> blocks_of(const TrainingStep& step)
{
    const std::vector<Block> all = smallest_blocks(step);
    std::vector<Block> blocks;
    for (std::size_t at = 0; at < all.size();) {
        if (all[at].operations > 0) {
            blocks.push_back(all[at++]);
            continue;
        }
        // A chain of nodes each of which hands on a single value, so that one node saves nothing:
        // of n nodes in a row, sqrt(n) make a block (Chen et al., arXiv 1604.06174, section 4.1).
        const auto end = std::find_if(all.begin() + static_cast<std::ptrdiff_t>(at), all.end(),
                                      [](const Block& block) { return block.operations > 0; });
        const auto chain = static_cast<std::size_t>(end - all.begin()) - at;
        const auto length =
            static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(chain))));
        for (const std::size_t behind = at + chain; at < behind;) {
            const std::size_t next = std::min(at + length, behind);
            Block block{all[at].first, all[next - 1].end, 0};
            block.operations = operations_again(step, block);
            if (block.operations > 0) {
                blocks.push_back(block);
            }
            at = next;
        }
    }
    return blocks;
}

TrainingStep with_recomputation(const TrainingStep& step, const std::vector<Block>& blocks)
{
    TrainingStep result = step;
    struct Again {
        std::set<ValueId> dropped;
        std::vector<std::size_t> numbers;
        NodesAgain copies;
        bool written = false;
    };
    std::vector<Again> all;
    for (const Block& block : blocks) {
        std::set<ValueId> dropped = dropped_values(step, block);
        std::vector<std::size_t> numbers = nodes_again(step, block, dropped);
        NodesAgain copies(result.graph, numbers, step.graph.nodes);
        all.push_back({std::move(dropped), std::move(numbers), std::move(copies)});
    }
    // The forward pass stays; the others are written anew, with the copies put in where they are
    // first needed.
    const std::size_t forward = forward_nodes(step);
    result.graph.nodes.resize(forward);
    result.passes.resize(forward);
    result.layer_of.resize(forward);
    const auto write = [&](Node node, Pass pass, std::size_t layer) {
        result.graph.nodes.push_back(std::move(node));
        result.passes.push_back(pass);
        result.layer_of.push_back(layer);
    };
    for (std::size_t number = forward; number < step.graph.nodes.size(); ++number) {
        Node node = step.graph.nodes[number];
        for (Again& again : all) {
            const auto is_dropped = [&](ValueId input) { return again.dropped.contains(input); };
            if (std::ranges::none_of(node.inputs, is_dropped)) {
                continue;
            }
            for (std::size_t i = 0; i < again.numbers.size() && !again.written; ++i) {
                write(again.copies.nodes[i], Pass::recomputation, again.numbers[i]);
            }
            again.written = true;
            for (ValueId& input : node.inputs) {
                input = again.copies.copy_of(input);
            }
        }
        write(std::move(node), step.passes[number], step.layer_of[number]);
    }
    return result;
}

std::int64_t needed_at_once(const Graph& graph)
{
    std::vector<std::size_t> last = last_readers(graph, graph.nodes.size());
    for (const ValueId output : graph.outputs) {
        last[static_cast<std::size_t>(output)] = graph.nodes.size();
    }
    std::set<ValueId> carried;
    for (const Carried& each : graph.carried) {
        // A value that replaces a carried input lies in that input's memory, which does not count
        // here.
        carried.insert(each.next);
    }
    std::vector<std::int64_t> freed(graph.nodes.size() + 1, 0);
    std::int64_t now = 0, most = 0;
    for (std::size_t node = 0; node < graph.nodes.size(); ++node) {
        for (const ValueId output : graph.nodes[node].outputs) {
            if (output != no_value && !carried.contains(output)) {
                const std::int64_t bytes = static_cast<std::int64_t>(sizeof(float)) *
                                           element_count(graph.value(output).shape);
                now += bytes;
                freed[std::max(last[static_cast<std::size_t>(output)], node)] += bytes;
            }
        }
        most = std::max(most, now);
        now -= freed[node];
    }
    return most;
}

std::vector<Block> blocks_within(const TrainingStep& whole, std::int64_t bytes)
{
    TrainingStep step = whole;
    step.first.clear(); // it is copied again and again
    std::vector<Block> left = blocks_of(step);
    std::vector<Block> chosen;
    std::int64_t needed = needed_at_once(step.graph);
    while (needed > bytes && !left.empty()) {
        // The block that saves the most bytes for each operation that it costs.
        auto best = left.begin();
        std::int64_t least = 0;
        double most = -std::numeric_limits<double>::infinity();
        for (auto block = left.begin(); block != left.end(); ++block) {
            std::vector<Block> with = chosen;
            with.push_back(*block);
            const std::int64_t then = needed_at_once(with_recomputation(step, with).graph);
            const double gain =
                static_cast<double>(needed - then) / std::max(block->operations, 1.0);
            if (gain > most) {
                most = gain;
                best = block;
                least = then;
            }
        }
        needed = least;
        chosen.push_back(*best);
        left.erase(best);
    }
    // A block chosen early may have become superfluous. The most expensive ones are tried first.
    std::ranges::sort(chosen, std::greater<>(), &Block::operations);
    for (std::size_t i = 0; i < chosen.size() && needed <= bytes;) {
        std::vector<Block> without = chosen;
        without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
        if (needed_at_once(with_recomputation(step, without).graph) <= bytes) {
            chosen = std::move(without);
        } else {
            ++i;
        }
    }
    std::ranges::sort(chosen, {}, &Block::first);
    return chosen;
}

} // namespace texelscope::networks
