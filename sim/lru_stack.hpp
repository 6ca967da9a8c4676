#pragma once

#include "sim/fill_outcome.hpp"
#include "sim/line_shift.hpp"
#include "sim/zeroed_array.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace texelscope {

/// A fully associative LRU cache of `capacity` lines over line numbers below `line_count`: constant time for each access
/// (a recency list over the slots, a table from line to slot), 4 bytes a line number.
class LruStack {
public:
    LruStack(std::int64_t capacity, std::int64_t line_count);

    /// Makes the line the most recent one, with the sectors of `sector_mask` present.
    FillOutcome access(std::int64_t line, std::uint64_t sector_mask);
    [[nodiscard]] bool contains(std::int64_t line, std::uint64_t sector_mask) const;

    /// Looks up the lines of a list, without sectors. Writes to missed[i], unless that is null: 1 where line i was absent,
    /// else 0.
    LookupCount access_all(const LineList& lines, std::uint8_t* missed);

    /// Contents at one moment: lines and their sectors, most recent first.
    struct Snapshot {
        std::vector<std::int64_t> lines;
        std::vector<std::uint64_t> sectors;
    };
    [[nodiscard]] Snapshot save() const;
    /// Whether the contents are those of the snapshot, translated.
    [[nodiscard]] bool is_shifted(const Snapshot& snapshot, const LineShift& shift) const;
    /// Translates the contents.
    void shift(const LineShift& shift);
    /// Numbers that a snapshot holds.
    [[nodiscard]] std::int64_t snapshot_size() const { return used_; }

private:
    void unlink(std::int32_t slot);
    void push_front(std::int32_t slot);
    /// Slot of the line, or -1.
    [[nodiscard]] std::int32_t find(std::int64_t line) const { return next_slot_[static_cast<std::size_t>(line)] - 1; }

    struct Slot {
        std::int64_t line = -1;
        std::uint64_t sectors = 0;
        std::int32_t newer = -1;
        std::int32_t older = -1;
    };
    std::vector<Slot> slots_;
    ZeroedArray<std::int32_t> next_slot_; ///< by line: its slot + 1; 0: absent
    std::int32_t used_ = 0;
    std::int32_t newest_ = -1;
    std::int32_t oldest_ = -1;
};

} // namespace texelscope
