#pragma once

#include "codegen/lowering/contraction.hpp"
#include "codegen/operators/operator.hpp"
#include "networks/graph/graph.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

namespace texelscope::networks {

/// A kernel that makes a value of a network, or a part of a value.
struct NodeKernel {
    codegen::Operator op; ///< what it computes; its tensors have the shapes of the values
    /// The value of each of the operator's inputs; no_value for inputs in `made`.
    std::vector<ValueId> inputs;
    ValueId output = no_value;
    /// Inputs that are no values of the network but constants that follow from the node, such as a
    /// table of indices: their numbers, by number of the input.
    std::map<std::size_t, std::vector<float>> made = {};
    /// By number of the input: the dimension along which its texels must hold four neighbours, or
    /// -1 for one number in each texel. Inputs that are not listed may be packed in any way.
    std::map<std::size_t, int> packs = {};
    /// The operator as a contraction, if it is one.
    std::optional<codegen::Contraction> contraction = {};
};

/// Fuses a node into the kernel that makes its input, as a further step of the epilogue or as a
/// mere change of name and shape. Returns false, with nothing changed, if that is not possible.
/// `kernel` must make the whole input, and no other node may read that.
[[nodiscard]] bool take_in(NodeKernel& kernel, const Graph& graph, const Node& node);

/// For each value, the dimension along which its texels hold four neighbours; -1: a texel holds one
/// number.
using PackedDims = std::vector<int>;

/// Chooses a packed dimension for each value: the channels of feature maps, the last dimension of
/// results of matrix products; values computed element by element from others follow these.
[[nodiscard]] PackedDims packed_dims(const Graph& graph);

/// The kernels of a node, in the order of running. Throws bad_input, with the reason, for nodes
/// that no kernel can compute yet.
[[nodiscard]] std::vector<NodeKernel> node_kernels(const Graph& graph, const Node& node,
                                                   const PackedDims& packed);

} // namespace texelscope::networks
