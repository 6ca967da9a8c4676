#pragma once

#include "sim/cache/fill_outcome.hpp"
#include "sim/cache/line_table.hpp"
#include "sim/layout/line_shift.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace texelscope::sim {

/// Tags of a fully associative LRU cache of `capacity` lines, with line numbers below `line_count`.
///
/// Uses of lines are numbered. A table has the number of each line's last use (last_use_). A ring
/// has the line of each use (lines_), and whether that use is still the last one of its line
/// (alive_). The line that falls out is that of the oldest use alive. A line is present where its
/// last use is not older than that, i.e. not before begin_. This takes amortised constant time per
/// use, without a linked list to follow, and 4 bytes per line number.
class LruStack {
public:
    /// `sectored`: whether lines have sectors, for which a mask of 64 bits per line is kept.
    LruStack(std::int64_t capacity, std::int64_t line_count, bool sectored);

    /// Uses a line: makes it the most recent one, with the sectors of the mask present.
    FillOutcome access(std::int64_t line, std::uint64_t sector_mask);
    /// Whether the line is present with all sectors of the mask. Changes nothing.
    [[nodiscard]] bool contains(std::int64_t line, std::uint64_t sector_mask) const;

    /// Uses the lines of a list, in order; only for a cache without sectors. Unless `missed` is
    /// null, missed[i] becomes 1 where line i was absent, else 0.
    LookupCount access_all(const LineList& lines, std::uint8_t* missed);

    /// Contents at one moment: lines and their sectors, oldest first.
    struct Snapshot {
        std::vector<std::int32_t> lines;
        std::vector<std::uint64_t> sectors;
    };
    [[nodiscard]] Snapshot save() const;
    void restore(const Snapshot& snapshot);
    /// Whether the contents are those of the snapshot, translated.
    [[nodiscard]] bool is_shifted(const Snapshot& snapshot, const LineShift& shift) const;
    /// Translates the contents.
    void shift(const LineShift& shift);
    /// How many numbers a snapshot holds.
    [[nodiscard]] std::int64_t snapshot_size() const { return used_; }

private:
    /// Number of a use; 0 stands for a line that was never used.
    using Use = std::uint32_t;
    /// Not 1, so that a line that was never used (0) is not taken for the most recent one.
    static constexpr Use first_use = 2;

    /// access_all() for any lines.
    LookupCount access_one_by_one(const LineList& lines, std::uint8_t* missed);
    /// access_all() for distinct lines, at most as many as the capacity.
    LookupCount access_together(const LineList& lines, std::uint8_t* missed);

    [[nodiscard]] std::size_t place(Use use) const { return use & (lines_.size() - 1); }
    [[nodiscard]] bool is_alive(Use use) const { return alive_[place(use)] != 0; }
    /// Makes room in the ring for so many further uses.
    void reserve(std::size_t uses);
    /// Appends a use of a line that has no use alive.
    void append(std::int64_t line);
    /// The number of the first use after the oldest `count` uses alive.
    [[nodiscard]] Use after_oldest(std::int64_t count) const;
    /// Prepares for the next use of a line whose last use was `last`: ends that use, or else throws
    /// the oldest line out where the cache is full. Returns the misses and evictions of this.
    LookupCount take_place(Use last);
    /// Throws the oldest line out and returns it.
    std::int32_t drop_oldest();
    /// Empties the cache and returns what was in it.
    [[nodiscard]] Snapshot take_out();

    std::int64_t capacity_;
    std::int64_t used_ = 0; ///< number of lines present
    Use begin_ = first_use; ///< lines whose last use is older are not present
    Use end_ = first_use;   ///< number of the next use
    // The uses from begin_ to end_, in rings whose size is a power of two: see place().
    std::vector<std::int32_t> lines_;
    /// 1 where the use is alive, else 0. A second half, which belongs to no use, takes writes that
    /// are not meant for any.
    std::vector<std::uint8_t> alive_;
    std::vector<std::uint64_t> sectors_; ///< sectors present; empty without sectors
    LineTable<Use> last_use_;            ///< by line
};

} // namespace texelscope::sim
