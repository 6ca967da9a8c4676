#pragma once

#include "networks/operators/node_operator.hpp"

#include <vector>

namespace texelscope::networks {

// The rows of the table of operators, grouped by how they are computed. node_operators() puts them
// together; a row that is added to one of these functions is known to readers, checks and the
// documentation.

/// Each number of the output is a function of one number of each input, with broadcasting.
[[nodiscard]] std::vector<NodeOperator> elementwise_operators();
/// Sums of products: convolutions, matrix products.
[[nodiscard]] std::vector<NodeOperator> contraction_operators();
/// Maxima and means over the places of a window.
[[nodiscard]] std::vector<NodeOperator> pool_operators();
/// Operators along axes: sums, means, softmax, normalisations.
[[nodiscard]] std::vector<NodeOperator> axis_operators();
/// Operators that change the shape alone.
[[nodiscard]] std::vector<NodeOperator> reshape_operators();
/// Operators that only move numbers.
[[nodiscard]] std::vector<NodeOperator> movement_operators();
/// Resize.
[[nodiscard]] std::vector<NodeOperator> resize_operators();
/// Operators that only backward passes have.
[[nodiscard]] std::vector<NodeOperator> gradient_operators();

} // namespace texelscope::networks
