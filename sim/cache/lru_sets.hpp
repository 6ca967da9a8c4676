#pragma once

#include "sim/cache/fill_outcome.hpp"
#include "sim/cache/set_of_line.hpp"
#include "sim/layout/line_shift.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace texelscope::sim {

/// A set-associative LRU cache of at most widest_ways ways. Each set holds its tags in the order of
/// their last use, so a lookup is a comparison with all of them and a move to the front, without a
/// branch.
class LruSets {
public:
    static constexpr int widest_ways = 16;

    /// `sectored`: lines have sectors (a mask of 64 for each line is kept).
    LruSets(SetOfLine set_of, int ways, bool sectored);

    FillOutcome access(std::int64_t line, std::uint64_t sector_mask);
    [[nodiscard]] bool contains(std::int64_t line, std::uint64_t sector_mask) const;

    /// Looks up the lines of a list, without sectors. Writes to missed[i], unless that is null: 1
    /// where line i was absent, else 0.
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
    /// Numbers that a snapshot holds.
    [[nodiscard]] std::int64_t snapshot_size() const { return set_of_.sets() * ways_; }

private:
    template <int Ways>
    LookupCount access_ways(const LineList& lines, std::uint8_t* missed);
    template <int Ways>
    LookupCount access_one_by_one(const LineList& lines, std::uint8_t* missed);
    /// For distinct lines of which many go to one set in succession.
    template <int Ways>
    LookupCount access_runs(const LineList& lines, std::uint8_t* missed);

    void count_empty_ways();

    SetOfLine set_of_;
    int ways_;
    bool vectors_;                       ///< a set that is full can be one vector
    std::int64_t empty_ = 0;             ///< ways of all sets
    std::vector<std::int32_t> tags_;     ///< [set * ways + position], most recent first; -1: empty
    std::vector<std::uint64_t> sectors_; ///< likewise, where there are sectors
};

} // namespace texelscope::sim
