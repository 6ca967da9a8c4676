#pragma once

#include "networks/graph/graph.hpp"

namespace texelscope::networks {

/// Returns the network decomposed(), without nodes that pass their input on unchanged (Identity,
/// Dropout), and without constants that no node reads. Outputs keep their names. With `fold`, each
/// batch normalisation (inference) behind a convolution whose output no other node reads is merged
/// into the convolution's weights and bias; this must not be done for training.
[[nodiscard]] Graph simplified(const Graph& graph, bool fold = true);

} // namespace texelscope::networks
