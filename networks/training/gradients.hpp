#pragma once

#include "networks/training/gradient_writer.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <vector>

namespace texelscope::networks {

/// A graph with its backward pass.
struct Gradients {
    Graph graph; ///< the forward pass, then the nodes of the gradients; outputs as before
    /// The gradient of the loss with regard to each value that was asked for; missing where it is
    /// zero.
    std::map<ValueId, ValueId> of;
    /// Of each node, the node of the forward pass that it derives; of those, themselves.
    std::vector<std::size_t> layer_of;
};

/// Called with the gradient of a value that was asked for, as soon as all of it is known; may write
/// further nodes.
using OnGradient = std::function<void(GradientWriter& writer, ValueId value, ValueId gradient)>;

/// Reverse-mode differentiation: nodes for `factor` d loss / d value, of the operators of the
/// table. A value that several nodes read has the sum of what each gives it. `loss` is one number.
/// What `detached` nodes make (an attribute) counts as constant. Throws bad_input, with the node,
/// for an operator without a gradient.
[[nodiscard]] Gradients with_gradients(Graph graph, ValueId loss,
                                       const std::vector<ValueId>& wanted, double factor = 1,
                                       const OnGradient& known = {});

/// Constants that training changes: those that convolutions, products, normalisations, PRelu, Add
/// and Mul read, but for single numbers that are added or multiplied by (an epsilon, a scale) and
/// what normalisations have measured.
[[nodiscard]] std::vector<ValueId> parameters(const Graph& graph);

} // namespace texelscope::networks
