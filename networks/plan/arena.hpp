#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace texelscope::networks {

/// Something that needs memory from one step to another, both included.
struct ArenaBlock {
    std::int64_t bytes = 0;
    std::size_t first = 0;
    std::size_t last = 0;

    [[nodiscard]] bool is_beside(const ArenaBlock& other) const
    {
        return first <= other.last && other.first <= last;
    }
};

/// Where blocks lie in one stretch of memory.
struct ArenaPlacement {
    std::vector<std::int64_t> offsets; ///< of each block
    std::int64_t bytes = 0;            ///< the largest end
};

/// Blocks that are needed at once do not overlap; offsets are multiples of `alignment`. In several
/// orders (size; size times steps; first step), each block goes into the least gap that it fits;
/// then, as long as that helps, what sticks out goes first. The best of all is taken. (Finding the
/// least is NP-hard: dynamic storage allocation, Garey and Johnson, SR2.)
[[nodiscard]] ArenaPlacement place_in_arena(const std::vector<ArenaBlock>& blocks,
                                            std::int64_t alignment);

} // namespace texelscope::networks
