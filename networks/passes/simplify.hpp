#pragma once

#include "networks/graph/graph.hpp"

namespace texelscope::networks {

/// The network without nodes that no kernel computes at once (decomposed()), without nodes that
/// hand their input on (Identity, Dropout), and without constants that nobody reads. What the
/// caller wants keeps its name. `fold`: with every batch normalisation (inference) that follows a
/// convolution, which nobody else reads, taken into its weights and bias; not for training.
[[nodiscard]] Graph simplified(const Graph& graph, bool fold = true);

} // namespace texelscope::networks
