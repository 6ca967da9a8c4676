#pragma once

#include "networks/operators/node_operator.hpp"

#include <vector>

namespace texelscope::networks {

// Rows of the table, by how they are computed.

/// One number of the output from one of each input, with broadcasting.
[[nodiscard]] std::vector<NodeOperator> elementwise_operators();
/// Sums of products: convolutions, matrix products.
[[nodiscard]] std::vector<NodeOperator> contraction_operators();
/// Of the places of a window.
[[nodiscard]] std::vector<NodeOperator> pool_operators();
/// Along axes: sums, means, softmax, normalisations.
[[nodiscard]] std::vector<NodeOperator> axis_operators();
/// Numbers that only move.
[[nodiscard]] std::vector<NodeOperator> movement_operators();
/// Of backward passes alone.
[[nodiscard]] std::vector<NodeOperator> gradient_operators();

} // namespace texelscope::networks
