#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace texelscope::networks {

/// A block of memory that is needed from step `first` to step `last`, both included.
struct ArenaBlock {
    std::int64_t bytes = 0;
    std::size_t first = 0;
    std::size_t last = 0;

    /// Whether both are needed at the same time, so that they must not overlap.
    [[nodiscard]] bool is_beside(const ArenaBlock& other) const
    {
        return first <= other.last && other.first <= last;
    }
};

/// Places of blocks in one range of memory.
struct ArenaPlacement {
    std::vector<std::int64_t> offsets; ///< offset of each block, in bytes
    std::int64_t bytes = 0;            ///< size of the range: the largest end of a block
};

/// Places blocks so that those needed at the same time do not overlap; offsets are multiples of
/// `alignment`. Finding the smallest range is NP-hard (dynamic storage allocation, Garey and
/// Johnson, SR2), so that it is a heuristic: blocks are taken in several orders (by size; by size
/// times steps; by first step), and each goes into the smallest gap that it fits. Then, for some
/// rounds, the block that ends highest is moved to the front of the order. The best result is
/// taken.
[[nodiscard]] ArenaPlacement place_in_arena(const std::vector<ArenaBlock>& blocks,
                                            std::int64_t alignment);

} // namespace texelscope::networks
