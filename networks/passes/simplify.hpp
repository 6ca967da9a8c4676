#pragma once

#include "networks/graph/graph.hpp"

namespace texelscope::networks {

/// The network with every batch normalisation (inference) that follows a convolution, which nobody else reads, taken into its weights
/// and bias, without nodes that no kernel computes at once (decomposed()), and without nodes that hand their input on (Identity, Dropout) and constants that nobody reads. What the caller wants
/// keeps its name.
[[nodiscard]] Graph simplified(const Graph& graph);

} // namespace texelscope::networks
