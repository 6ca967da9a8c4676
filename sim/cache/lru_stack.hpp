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
/// Lines stand in a list in the order of their last use, with gaps where a line has been used again since, and a table
/// tells the place of each line. A use appends to the list; what falls out is found behind the gaps at its front; a full
/// list is closed up. Amortised constant time, no linked list to follow. 4 bytes a line number.
class LruStack {
public:
    /// `sectored`: lines have sectors (a mask of 64 for each line is kept).
    LruStack(std::int64_t capacity, std::int64_t line_count, bool sectored);

    /// Makes the line the most recent one, with the sectors of `sector_mask` present.
    FillOutcome access(std::int64_t line, std::uint64_t sector_mask);
    [[nodiscard]] bool contains(std::int64_t line, std::uint64_t sector_mask) const;

    /// Looks up the lines of a list, without sectors. Writes to missed[i], unless that is null: 1 where line i was absent,
    /// else 0.
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
    /// Looks up lines one by one, without sectors.
    LookupCount access_one_by_one(const LineList& lines, std::uint8_t* missed);
    /// Place of the line in the list, where it is present.
    [[nodiscard]] std::size_t place_of(std::int64_t line) const { return static_cast<std::size_t>(places_[line]); }
    [[nodiscard]] bool is_present(std::int64_t line) const { return list_[place_of(line)] == line; }
    /// Appends a line that is not in the list.
    void append(std::int64_t line);
    /// Takes the oldest line out.
    std::int32_t drop_oldest();
    /// Closes the gaps.
    void close_up();

    static constexpr std::int32_t gap = -1;

    std::int64_t capacity_;
    std::int64_t used_ = 0; ///< lines present
    std::vector<std::int32_t> list_;
    std::vector<std::uint64_t> sectors_; ///< by place in the list, where there are sectors
    std::size_t begin_ = 0;              ///< only gaps in front of it
    std::size_t end_ = 0;                ///< only gaps from there on
    LineTable<std::int32_t> places_;     ///< by line: where list_[place] is the line, it is present
};

} // namespace texelscope::sim
