#pragma once

#include "networks/lowering/kernel_builder.hpp"

#include <functional>
#include <map>
#include <string>

namespace texelscope::networks {

/// A node that is to become kernels.
struct NodeToLower {
    const Graph& graph;
    const Node& node;
    const PackedDims& packed;

    [[nodiscard]] const Shape& input(std::size_t i) const { return graph.value(node.inputs[i]).shape; }
    [[nodiscard]] bool has(std::size_t i) const { return i < node.inputs.size() && node.inputs[i] != no_value; }
    [[nodiscard]] const Shape& output() const { return graph.value(node.outputs[0]).shape; }
    [[nodiscard]] int packed_of(ValueId value) const { return packed[static_cast<std::size_t>(value)]; }
    /// The kernel that makes the first output; its name is the operator's.
    [[nodiscard]] KernelBuilder builder(std::string_view names = {}) const;
};

using Lowering = std::function<std::vector<NodeKernel>(const NodeToLower&)>;
using Lowerings = std::map<std::string, Lowering>;

// By operator, as the families of the table of operators.
[[nodiscard]] Lowerings elementwise_lowerings();
[[nodiscard]] Lowerings contraction_lowerings();
[[nodiscard]] Lowerings pool_lowerings();
[[nodiscard]] Lowerings axis_lowerings();
[[nodiscard]] Lowerings movement_lowerings();

/// A function of one number, as a step of an epilogue; nothing where the operator is none.
struct ElementFunction {
    std::string text; ///< see ElementStep
    bool keeps_zero = false;
};
[[nodiscard]] std::optional<ElementFunction> element_function(const Node& node);
/// The same of two numbers.
[[nodiscard]] std::optional<ElementFunction> binary_function(const Node& node);

} // namespace texelscope::networks
