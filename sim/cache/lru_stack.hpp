#pragma once

#include "sim/cache/fill_outcome.hpp"
#include "sim/cache/line_table.hpp"
#include "sim/layout/line_shift.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace texelscope::sim {

/// A fully associative LRU cache of `capacity` lines over line numbers below `line_count`.
///
/// Uses are numbered, and a table has the number of each line's last use. A ring has the line of
/// each number, and whether that use was its line's last: then the line is alive. What falls out is
/// the oldest line alive, and a line is present where its last use is not older than that.
/// Amortised constant time, no linked list to follow. 4 bytes a line number.
class LruStack {
public:
    /// `sectored`: lines have sectors (a mask of 64 for each line is kept).
    LruStack(std::int64_t capacity, std::int64_t line_count, bool sectored);

    /// Makes the line the most recent one, with the sectors of `sector_mask` present.
    FillOutcome access(std::int64_t line, std::uint64_t sector_mask);
    [[nodiscard]] bool contains(std::int64_t line, std::uint64_t sector_mask) const;

    /// Looks up the lines of a list, without sectors. Writes to missed[i], unless that is null: 1
    /// where line i was absent, else 0.
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
    /// Numbers that a snapshot holds.
    [[nodiscard]] std::int64_t snapshot_size() const { return used_; }

private:
    /// Number of a use; 0: never.
    using Use = std::uint32_t;
    static constexpr Use first_use = 2; ///< so that what was never used is not the use before it

    /// Looks up lines one by one, without sectors.
    LookupCount access_one_by_one(const LineList& lines, std::uint8_t* missed);
    /// The same for distinct lines, at most as many as the capacity.
    LookupCount access_together(const LineList& lines, std::uint8_t* missed);

    [[nodiscard]] std::size_t place(Use use) const { return use & (lines_.size() - 1); }
    [[nodiscard]] bool is_alive(Use use) const { return alive_[place(use)] != 0; }
    /// Makes room for so many uses.
    void reserve(std::size_t uses);
    /// Appends a use of a line that is not alive.
    void append(std::int64_t line);
    /// The number after that of the oldest `count` lines alive.
    [[nodiscard]] Use after_oldest(std::int64_t count) const;
    /// Makes room for a line whose last use is that: what looking it up does.
    LookupCount take_place(Use last);
    /// Takes the oldest line out.
    std::int32_t drop_oldest();
    /// The lines alive, oldest first.
    [[nodiscard]] Snapshot take_out();

    std::int64_t capacity_;
    std::int64_t used_ = 0;              ///< lines present
    Use begin_ = first_use;              ///< no line whose last use is older is present
    Use end_ = first_use;                ///< the next number
    std::vector<std::int32_t> lines_;    ///< of the uses since begin_, in a ring of a power of two
    std::vector<std::uint8_t> alive_;    ///< likewise: 1 or 0; the second half is nobody's
    std::vector<std::uint64_t> sectors_; ///< likewise, where there are sectors
    LineTable<Use> last_use_;            ///< by line
};

} // namespace texelscope::sim
