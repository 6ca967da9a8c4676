#pragma once

#include "networks/graph/graph.hpp"

namespace texelscope::networks {

/// Returns the network with nodes that no single kernel computes replaced by several simpler ones.
/// Layer normalisation over several dimensions or with means and deviations as further outputs, and
/// instance normalisation, become means, differences and products, as ONNX defines them. Padding
/// with a number other than zero becomes padding with zeros, less a constant. Gathering by a table
/// of indices becomes gathering by a list, and a reshape. A Resize along several dimensions becomes
/// one along each. Nodes on tensors without numbers go (without_empty()). Values that the replaced
/// nodes made keep their names.
[[nodiscard]] Graph decomposed(const Graph& graph);

} // namespace texelscope::networks
