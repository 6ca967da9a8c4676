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
    /// For each value that was asked for, the gradient of the loss with respect to it. There is no
    /// entry where the gradient is zero.
    std::map<ValueId, ValueId> of;
    /// For each node, the node of the forward pass whose gradient it computes; nodes of the forward
    /// pass have their own number.
    std::vector<std::size_t> layer_of;
};

/// Called with the gradient of each value that was asked for, as soon as its nodes are written. It
/// may write further nodes.
using OnGradient = std::function<void(GradientWriter& writer, ValueId value, ValueId gradient)>;

/// Reverse-mode differentiation: appends nodes that compute `factor` d loss / d value, with
/// operators of the table. If several nodes read a value, its gradient is the sum of their
/// contributions. `loss` must be a single number. The outputs of nodes with the attribute
/// `detached` count as constants. Throws bad_input, with the node, for an operator without a
/// gradient.
[[nodiscard]] Gradients with_gradients(Graph graph, ValueId loss,
                                       const std::vector<ValueId>& wanted, double factor = 1,
                                       const OnGradient& known = {});

/// The constants that training changes: those that convolutions, products, normalisations, PRelu,
/// Add and Mul read. Not among them are single numbers that are added or multiplied (an epsilon, a
/// scale), and the statistics that normalisations have measured.
[[nodiscard]] std::vector<ValueId> parameters(const Graph& graph);

} // namespace texelscope::networks
