#pragma once

#include "networks/training/training_step.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace texelscope::networks {

/// Nodes of the forward pass that follow each other, with one value that goes in and one that goes
/// out: what lies between can be computed again when the backward pass asks for it, in place of
/// being kept.
struct Block {
    std::size_t first = 0; ///< node
    std::size_t end = 0;   ///< behind the last node
    /// Multiply-adds of what is computed again, an addition being half of one.
    double operations = 0;
    bool operator==(const Block&) const = default;
};

/// The forward pass cut wherever one value alone goes on (Chen et al., arXiv 1604.06174), without
/// blocks of which nothing large is kept.
[[nodiscard]] std::vector<Block> blocks_of(const TrainingStep& step);

/// The step with what blocks have made computed again, before the first node of the backward pass
/// that reads any of it. What is small against the block's largest value (a sixteenth) is kept. The
/// numbers are the same.
[[nodiscard]] TrainingStep with_recomputation(const TrainingStep& step,
                                              const std::vector<Block>& blocks);

/// Most bytes of float32 values that are needed at once, where each node is computed by itself:
/// without what the caller gives and what takes its place.
[[nodiscard]] std::int64_t needed_at_once(const Graph& graph);

/// Blocks to compute again so that needed_at_once() is at most `bytes`: one after the other that
/// which lowers it most for its operations. All of them where that is not enough.
[[nodiscard]] std::vector<Block> blocks_within(const TrainingStep& step, std::int64_t bytes);

} // namespace texelscope::networks
