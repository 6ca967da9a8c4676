#pragma once

#include "codegen/lowering/contraction.hpp"
#include "codegen/operators/operator.hpp"
#include "networks/graph/graph.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

namespace texelscope::networks {

/// A kernel that makes a value of a network, or a part of one.
struct NodeKernel {
    codegen::Operator op; ///< its tensors have the shapes of the values
    /// One for each of the operator's inputs; no_value where it is made.
    std::vector<ValueId> inputs;
    ValueId output = no_value;
    /// Numbers of inputs that are no value of the network but follow from the node, by number of
    /// the input.
    std::map<std::size_t, std::vector<float>> made = {};
    /// Inputs of which a texel has to hold four neighbours along this dimension, or, -1, one
    /// number, by number of the input.
    std::map<std::size_t, int> packs = {};
    /// What the operator computes, where it is one.
    std::optional<codegen::Contraction> contraction = {};
};

/// Takes a node into the kernel that makes its input, as a further step with each number, or under
/// another name; false: it cannot, and nothing has changed. `kernel` makes all of that input, which
/// nobody else reads.
[[nodiscard]] bool take_in(NodeKernel& kernel, const Graph& graph, const Node& node);

/// Of each value, the dimension of which a texel holds four neighbours; -1: it holds one number.
using PackedDims = std::vector<int>;

/// Channels of feature maps, the last dimension of what matrix products make, and what follows from
/// it for values that are made of others number by number.
[[nodiscard]] PackedDims packed_dims(const Graph& graph);

/// The kernels of a node, in order. Throws bad_input, with the reason, for what no kernel computes
/// yet.
[[nodiscard]] std::vector<NodeKernel> node_kernels(const Graph& graph, const Node& node,
                                                   const PackedDims& packed);

} // namespace texelscope::networks
