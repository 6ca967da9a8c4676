#pragma once

#include "networks/graph/graph.hpp"

namespace texelscope::networks {

/// Returns the network without nodes whose outputs have no numbers (a dimension of them is 0); such
/// an output becomes a constant of none. What is made of tensors without numbers and of constants
/// alone becomes a constant, such as the sum of no numbers, and a Concat joins only those that have
/// some.
[[nodiscard]] Graph without_empty(Graph graph);

} // namespace texelscope::networks
