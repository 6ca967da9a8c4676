#pragma once

#include "networks/lowering/kernel_builder.hpp"
#include "networks/operators/window.hpp"

#include <array>
#include <functional>
#include <map>
#include <string>

namespace texelscope::networks {

/// A node that is to become kernels.
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
[[nodiscard]] Lowerings gradient_lowerings();

/// Where a transposed window reads: an output at v sums the inputs o for which v = o stride + tap
/// dilation - before, with each such tap.
struct TransposedWindow {
    Index outputs; ///< of the place v
    Index inputs;  ///< of o; outside of the inputs where there is none
    Index taps;    ///< outside of the kernel where there is none
};
/// The next dimensions of `builder` are of it. Throws bad_input where no kernel goes along such a
/// window.
[[nodiscard]] TransposedWindow transposed_window(KernelBuilder& builder, const Window& window);
/// Spatial dimensions of a window, outermost first, as numbers of its extents.
[[nodiscard]] std::vector<std::size_t> spatial(const Window& window);
inline constexpr std::array axis_letters{'d', 'h', 'w'}; ///< of those extents

/// A function of one number, as a step of an epilogue; nothing where the operator is none.
struct ElementFunction {
    codegen::NumberExpr value; ///< see ElementStep
    bool keeps_zero = false;
};
[[nodiscard]] std::optional<ElementFunction> element_function(const Node& node);
/// Of a gradient and what a function made or read: gradients of functions of one number.
[[nodiscard]] std::optional<ElementFunction> slope_function(const Node& node);
/// The same of two numbers, gradients among them.
[[nodiscard]] std::optional<ElementFunction> binary_function(const Node& node);

} // namespace texelscope::networks
