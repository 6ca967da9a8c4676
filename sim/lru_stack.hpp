#pragma once

#include <cstdint>
#include <vector>

namespace texelscope {

/// What one access to a cache did to the line's presence.
struct FillOutcome {
    bool line_present = false;   ///< before the access
    bool sector_present = false; ///< before the access
    std::int64_t evicted_line = -1;
};

/// A fully associative LRU cache of `capacity` lines over line numbers below `line_count`: constant time for each access
/// (a recency list over the slots, a table from line to slot), 4 bytes a line number.
class LruStack {
public:
    LruStack(std::int64_t capacity, std::int64_t line_count);

    /// Makes the line the most recent one, with the sectors of `sector_mask` present.
    FillOutcome access(std::int64_t line, std::uint64_t sector_mask);
    [[nodiscard]] bool contains(std::int64_t line, std::uint64_t sector_mask) const;

private:
    void unlink(std::int32_t slot);
    void push_front(std::int32_t slot);

    struct Slot {
        std::int64_t line = -1;
        std::uint64_t sectors = 0;
        std::int32_t newer = -1;
        std::int32_t older = -1;
    };
    std::vector<Slot> slots_;
    std::vector<std::int32_t> slot_of_line_; ///< -1: absent
    std::int32_t used_ = 0;
    std::int32_t newest_ = -1;
    std::int32_t oldest_ = -1;
};

} // namespace texelscope
