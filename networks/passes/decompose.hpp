#pragma once

#include "networks/graph/graph.hpp"

namespace texelscope::networks {

/// The network without nodes that no kernel computes at once: layer normalisation over several
/// dimensions, or one that gives out its means and deviations, and instance normalisation become
/// means, differences and products, as ONNX defines them by its other operators; padding with
/// another number than zero adds a constant to padding with zeros; a table of indices is a list of
/// them, reshaped. What the nodes made keeps its name.
[[nodiscard]] Graph decomposed(const Graph& graph);

} // namespace texelscope::networks
