#pragma once

#include "networks/training/training_step.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace texelscope::networks {

/// A block of consecutive nodes of the forward pass with one value that goes in and one that goes
/// out. The values in between need not be kept: they can be computed again when the backward pass
/// needs them.
struct Block {
    std::size_t first = 0; ///< node
    std::size_t end = 0;   ///< behind the last node
    /// Multiply-adds that computing it again takes; an addition counts as half of one.
    double operations = 0;
    bool operator==(const Block&) const = default;
};

/// Cuts the forward pass into blocks, wherever only a single value goes on (Chen et al., arXiv
/// 1604.06174). Blocks are left out if nothing large of them would have to be kept.
[[nodiscard]] std::vector<Block> blocks_of(const TrainingStep& step);

/// Returns the step in which the values inside of these blocks are computed again, before the first
/// node of the backward pass that reads any of them. Values that are small compared with the
/// block's largest (a sixteenth) are kept. The results of the step do not change.
[[nodiscard]] TrainingStep with_recomputation(const TrainingStep& step,
                                              const std::vector<Block>& blocks);

/// The most bytes of float32 values that are needed at the same time if each node is a kernel of
/// its own. Values that the caller gives, and those that take their place, do not count.
[[nodiscard]] std::int64_t needed_at_once(const Graph& graph);

/// Chooses blocks to compute again so that needed_at_once() is at most `bytes`. One block after the
/// other is taken: the one that lowers it most for its operations. All blocks are returned if even
/// that is not enough.
[[nodiscard]] std::vector<Block> blocks_within(const TrainingStep& step, std::int64_t bytes);

} // namespace texelscope::networks
