#pragma once

#include "networks/lowering/kernel_builder.hpp"
#include "networks/operators/window.hpp"

#include <array>
#include <functional>
#include <map>
#include <string>

namespace texelscope::networks {

/// A node that is to become kernels, with what lowering needs of its graph.
struct NodeToLower {
    const Graph& graph;
    const Node& node;
    const PackedDims& packed;

    [[nodiscard]] const Shape& input(std::size_t i) const
    {
        return graph.value(node.inputs[i]).shape;
    }
    [[nodiscard]] bool has(std::size_t i) const
    {
        return i < node.inputs.size() && node.inputs[i] != no_value;
    }
    [[nodiscard]] const Shape& output() const { return graph.value(node.outputs[0]).shape; }
    [[nodiscard]] int packed_of(ValueId value) const
    {
        return packed[static_cast<std::size_t>(value)];
    }
    /// A builder of a kernel that makes the first output, and is named after the operator.
    [[nodiscard]] KernelBuilder builder(std::string_view names = {}) const;
};

/// Makes the kernels of a node, in the order of running. Throws bad_input, without the node's name,
/// for what no kernel computes.
using Lowering = std::function<std::vector<NodeKernel>(const NodeToLower&)>;
using Lowerings = std::map<std::string, Lowering>;

// How to lower each operator, by name. The families are those of the table of operators
// (families.hpp).
[[nodiscard]] Lowerings elementwise_lowerings();
[[nodiscard]] Lowerings contraction_lowerings();
[[nodiscard]] Lowerings pool_lowerings();
[[nodiscard]] Lowerings axis_lowerings();
[[nodiscard]] Lowerings movement_lowerings();
[[nodiscard]] Lowerings gradient_lowerings();

/// Of movement_lowerings().
[[nodiscard]] std::vector<NodeKernel> lower_resized(const NodeToLower& n);

/// The reads of a transposed window. An output at v sums the products of input and weight over all
/// pairs of an input o and a tap with v = o stride + tap dilation - before.
struct TransposedWindow {
    Index outputs; ///< index of the place v
    Index inputs;  ///< index of o; it lies outside of the inputs where there is no such o
    Index taps;    ///< index of the tap; it lies outside of the kernel where there is no such tap
};
/// Adds the dimensions of such a window to `builder`. Throws bad_input for windows that no kernel
/// can compute.
[[nodiscard]] TransposedWindow transposed_window(KernelBuilder& builder, const Window& window);
/// The places, in the window's extents, of its spatial dimensions, outermost first.
[[nodiscard]] std::vector<std::size_t> spatial(const Window& window);
inline constexpr std::array axis_letters{'d', 'h', 'w'}; ///< names of the three extents

/// A function that can be a step of an epilogue (ElementStep).
struct ElementFunction {
    codegen::NumberExpr value; ///< see ElementStep
    bool keeps_zero = false;
};
/// The function of a node of one number; nothing if its operator is no such function.
[[nodiscard]] std::optional<ElementFunction> element_function(const Node& node);
/// The same for gradients of functions of one number. They take a gradient, and what the function
/// made or read.
[[nodiscard]] std::optional<ElementFunction> slope_function(const Node& node);
/// The same for functions of two numbers, gradients among them.
[[nodiscard]] std::optional<ElementFunction> binary_function(const Node& node);

} // namespace texelscope::networks
