#pragma once

#include "sim/cache/fill_outcome.hpp"
#include "sim/cache/set_of_line.hpp"
#include "sim/layout/line_shift.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace texelscope::sim {

/// Tags of a set-associative LRU cache of at most widest_ways ways. Each set holds its tags in the
/// order of their last use. So a lookup compares a line with all tags of its set and moves it to
/// the front, without a branch.
class LruSets {
public:
    static constexpr int widest_ways = 16;

    /// `sectored`: whether lines have sectors, for which a mask of 64 bits per line is kept.
    LruSets(SetOfLine set_of, int ways, bool sectored);

    /// Uses a line: makes it the most recent one of its set, with the sectors of the mask present.
    FillOutcome access(std::int64_t line, std::uint64_t sector_mask);
    /// Whether the line is present with all sectors of the mask. Changes nothing.
    [[nodiscard]] bool contains(std::int64_t line, std::uint64_t sector_mask) const;

    /// Uses the lines of a list, in order; only for a cache without sectors. Unless `missed` is
    /// null, missed[i] becomes 1 where line i was absent, else 0.
    LookupCount access_all(const LineList& lines, std::uint8_t* missed);

    /// Contents at one moment.
    struct Snapshot {
        std::vector<std::int32_t> tags;
        std::vector<std::uint64_t> sectors;
    };
    [[nodiscard]] Snapshot save() const { return {tags_, sectors_}; }
    void restore(const Snapshot& snapshot)
    {
        tags_ = snapshot.tags;
        sectors_ = snapshot.sectors;
        count_empty_ways();
    }
    /// Whether the contents are those of the snapshot, translated.
    [[nodiscard]] bool is_shifted(const Snapshot& snapshot, const LineShift& shift) const;
    /// Translates the contents; the translation must rotate the sets.
    void shift(const LineShift& shift);
    /// How many numbers a snapshot holds.
    [[nodiscard]] std::int64_t snapshot_size() const { return set_of_.sets() * ways_; }

private:
    /// access_all() for a number of ways that the compiler knows.
    template <int Ways>
    LookupCount access_ways(const LineList& lines, std::uint8_t* missed);
    template <int Ways>
    LookupCount access_one_by_one(const LineList& lines, std::uint8_t* missed);
    /// Uses distinct lines of which many in succession go to the same set.
    template <int Ways>
    LookupCount access_runs(const LineList& lines, std::uint8_t* missed);

    void count_empty_ways();

    SetOfLine set_of_;
    int ways_;
    bool vectors_;                       ///< look_up_in_full_sets() can be used for full sets
    std::int64_t empty_ = 0;             ///< number of empty ways, over all sets
    std::vector<std::int32_t> tags_;     ///< [set * ways + position], most recent first; -1: empty
    std::vector<std::uint64_t> sectors_; ///< by the same index: the sectors present
};

} // namespace texelscope::sim
