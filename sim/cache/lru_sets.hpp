#pragma once

#include "sim/cache/fill_outcome.hpp"
#include "sim/layout/line_shift.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace texelscope::sim {

/// Where a line of a cache goes: set = line mod sets, or the xor of the line number's groups of log2(sets) bits.
class SetOfLine {
public:
    SetOfLine(std::int64_t sets, bool xor_folded);
    [[nodiscard]] std::int64_t operator()(std::int64_t line) const
    {
        if (!xor_folded_) {
            return mask_ >= 0 ? line & mask_ : line % sets_;
        }
        std::int64_t set = 0;
        for (; bits_ > 0 && line > 0; line >>= bits_) {
            set ^= line & mask_;
        }
        return set;
    }
    [[nodiscard]] std::int64_t sets() const { return sets_; }
    /// Where set = line & mask: the mask.
    [[nodiscard]] std::optional<std::int64_t> mask() const
    {
        return mask_ >= 0 && !xor_folded_ ? std::optional(mask_) : std::nullopt;
    }
    /// The rotation of the sets under a translation of the lines; nothing where it is not a rotation.
    [[nodiscard]] std::optional<std::int64_t> rotation(const LineShift& shift) const;

private:
    std::int64_t sets_;
    std::int64_t mask_ = -1; ///< sets - 1 where that is a mask
    int bits_ = 0;
    bool xor_folded_;
};

/// A set-associative LRU cache of at most widest_ways ways. Each set holds its tags in the order of their last use, so
/// a lookup is a comparison with all of them and a move to the front, without a branch.
class LruSets {
public:
    static constexpr int widest_ways = 16;

    /// `sectored`: lines have sectors (a mask of 64 for each line is kept).
    LruSets(SetOfLine set_of, int ways, bool sectored);

    FillOutcome access(std::int64_t line, std::uint64_t sector_mask);
    [[nodiscard]] bool contains(std::int64_t line, std::uint64_t sector_mask) const;

    /// Looks up the lines of a list, without sectors. Writes to missed[i], unless that is null: 1 where line i was absent,
    /// else 0.
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

    SetOfLine set_of_;
    int ways_;
    std::vector<std::int32_t> tags_;     ///< [set * ways + position], most recent first; -1: empty
    std::vector<std::uint64_t> sectors_; ///< likewise, where there are sectors
};

} // namespace texelscope::sim
