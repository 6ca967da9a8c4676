#include "networks/lowering/node_kernel.hpp"

#include "base/error.hpp"
#include "networks/lowering/lower_families.hpp"

#include <algorithm>
#include <utility>

namespace texelscope::networks {
namespace {

const Lowerings& lowerings()
{
    static const Lowerings all = [] {
        Lowerings joined;
        for (Lowerings family : {elementwise_lowerings(), contraction_lowerings(), pool_lowerings(),
                                 axis_lowerings(), movement_lowerings(), gradient_lowerings()}) {
            joined.merge(std::move(family));
        }
        return joined;
    }();
    return all;
}

} // namespace

KernelBuilder NodeToLower::builder(std::string_view names) const
{
    return {node.op, graph, node.outputs[0], packed_of(node.outputs[0]), names};
}

std::vector<NodeKernel> node_kernels(const Graph& graph, const Node& node, const PackedDims& packed)
{
    const std::string where = "node '" + node.name + "' (" + node.op + ")";
    const auto found = lowerings().find(node.op);
    if (found == lowerings().end()) {
        throw bad_input("no kernel computes " + node.op + " yet", where);
    }
    const auto empty = [&](ValueId id) {
        return id != no_value && element_count(graph.value(id).shape) == 0;
    };
    if (std::ranges::any_of(node.inputs, empty) || std::ranges::any_of(node.outputs, empty)) {
        throw bad_input("no kernel computes a tensor without numbers", where);
    }
    try {
        return found->second({graph, node, packed});
    } catch (const Error& error) {
        throw bad_input(error.what(), where);
    }
}

} // namespace texelscope::networks
