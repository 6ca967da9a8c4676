#pragma once

#include "networks/graph/graph.hpp"

#include <map>
#include <vector>

namespace texelscope::networks {

/// A graph with its backward pass.
struct Gradients {
    Graph graph; ///< the forward pass, then the nodes of the gradients; outputs as before
    std::map<ValueId, ValueId>
        of; ///< the gradient of the loss with regard to each value that was asked for; missing where it is zero
};

/// Reverse-mode differentiation: nodes for d loss / d value, of the operators of the table. A value that several nodes read has the
/// sum of what each gives it. `loss` is one number. Throws bad_input, with the node, for an operator without a gradient.
[[nodiscard]] Gradients with_gradients(Graph graph, ValueId loss, const std::vector<ValueId>& wanted);

/// Constants that training changes: those that convolutions, products, normalisations and sums read, but for single numbers
/// and what normalisations have measured.
[[nodiscard]] std::vector<ValueId> parameters(const Graph& graph);

} // namespace texelscope::networks
