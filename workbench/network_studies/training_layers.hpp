#pragma once

#include "workbench/network_studies/judged_network.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace texelscope::workbench::network_studies {

/// A layer of a network that is trained. A kernel that several nodes are fused into belongs to the
/// layer of its first node.
struct TrainedLayer {
    std::string name; ///< of its node
    std::string op;
    std::string shape; ///< of what the node makes
    /// Of its kernels in each pass, by judge, in ns of a batch; nothing where it has none there, or
    /// one of them has no time.
    std::map<Judge, std::map<networks::Pass, double>> ns;
    /// Of what its kernels of the forward pass make and the backward pass reads.
    std::int64_t kept_bytes = 0;
};

/// The layers in the order of the forward pass; empty where the network is not trained.
[[nodiscard]] std::vector<TrainedLayer> training_layers(const JudgedNetwork& network);

/// By kernel: bytes that it makes in the forward pass and that the backward pass reads; 0 for
/// kernels of other passes.
[[nodiscard]] std::vector<std::int64_t> kept_for_backward(const JudgedNetwork& network);

} // namespace texelscope::workbench::network_studies
