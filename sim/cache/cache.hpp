#pragma once

#include "sim/cache/cache_geometry.hpp"
#include "sim/cache/cache_statistics.hpp"
#include "sim/cache/fill_outcome.hpp"
#include "sim/cache/set_associative.hpp"
#include "sim/cache/unit_scale.hpp"
#include "sim/layout/bit_field.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace texelscope::sim {

// One cache: tags, counters, and what tells the kinds of misses apart.
//
// In go lookups, in the order of the simulation; out come hits and misses, and counters. There are
// two ways to ask, of which a cache is asked in one only:
//
//   lookup(address), statistics()              a cache alone: it classifies each miss at once
//   look_up(granules), statistics(compulsory)  a level of a CacheHierarchy: many granules at once.
//                                              The caller knows the number of compulsory misses
//
// A granule is a sector, or a line where there are no sectors; granule n has the bytes from
// n * granule size on. Misses are classified by a second cache, the ideal one, which is fully
// associative, LRU, and of the same capacity. It gets the same lookups: what it misses too is a
// compulsory or a capacity miss, the rest are conflict misses.
//
// save(), restore(), *_are_shifted() and shift() are for jumps over repetition: a LineShift moves
// lines to lines, and may be used only where rotates_sets() holds.
//
// What always holds: compulsory misses <= ideal misses <= misses <= lookups. The cache is
// read-only: there are no write-backs.

/// What one lookup met, without the kind of a miss.
struct LookupDetail {
    bool missed = false;
    /// The lookup missed here and in the ideal cache, too; same as `missed` without kinds.
    bool ideal_missed = false;
    std::int64_t evicted_line = -1; ///< number of the line that was thrown out; -1: none
};

/// One cache, empty at first; see the top of this file.
class Cache {
public:
    /// `footprint`: every address looked up is below it; tables take 4 bytes for each of its lines.
    /// Without `miss_kinds` misses are not classified, which is faster. Throws bad_input for a
    /// geometry that does not validate.
    Cache(const CacheGeometry& geometry, Bytes footprint, bool miss_kinds = true);

    /// Looks up the granule that holds `address`, and fills it on a miss. Without kinds, every miss
    /// that is not compulsory is reported as a capacity miss.
    LookupOutcome lookup(std::int64_t address);
    /// Whether the granule that holds `address` is present. Changes nothing.
    [[nodiscard]] bool contains(std::int64_t address) const;
    [[nodiscard]] const CacheGeometry& geometry() const { return geometry_; }
    /// Statistics of a cache that was asked by addresses alone.
    [[nodiscard]] CacheStatistics statistics() const { return statistics(touched_.count()); }

    /// Looks up granules in their order. Unless `missed` is null, missed[i] becomes 1 where granule
    /// i was absent, else 0.
    void look_up(const LineList& granules, std::uint8_t* missed);
    /// Looks up granules in their order. Slower: writes to `details`, which has one element per
    /// granule, what each lookup met.
    void look_up(const LineList& granules, std::span<LookupDetail> details);
    [[nodiscard]] CacheCounts& counts() { return counts_; }
    [[nodiscard]] const CacheCounts& counts() const { return counts_; }
    /// `compulsory`: number of distinct granules that were looked up. The first touch of a granule
    /// misses in every cache, so this is the number of compulsory misses.
    [[nodiscard]] CacheStatistics statistics(std::int64_t compulsory) const;

    /// Contents at one moment.
    struct Snapshot {
        TagSnapshot tags;
        std::optional<LruStack::Snapshot> ideal;
    };
    [[nodiscard]] Snapshot save() const;
    void restore(const Snapshot& snapshot);
    /// Whether a translation rotates the sets as a whole, and the replacement policy can follow.
    /// Only then may the translation be given to the functions below.
    [[nodiscard]] bool rotates_sets(const LineShift& shift) const;
    /// Whether the tags, or the contents of the ideal cache, are those of the snapshot, translated.
    /// The latter is true where there is no ideal cache.
    [[nodiscard]] bool tags_are_shifted(const Snapshot& snapshot, const LineShift& shift) const;
    [[nodiscard]] bool ideal_is_shifted(const Snapshot& snapshot, const LineShift& shift) const;
    /// Translates the contents.
    void shift(const LineShift& shift);
    /// How many numbers a snapshot holds for the tags, and for the ideal cache.
    [[nodiscard]] std::int64_t tags_size() const;
    [[nodiscard]] std::int64_t ideal_size() const;

private:
    /// The line of a granule, and the bit of its sector there.
    struct Place {
        std::int64_t line;
        std::uint64_t sector_mask;
    };
    [[nodiscard]] Place place(std::int64_t granule) const
    {
        const std::int64_t line = line_of_(granule);
        return {line, std::uint64_t{1} << (granule - line * sectors_per_line_)};
    }
    /// Looks up granules in the tags or in the ideal cache.
    template <class Store>
    LookupCount look_up_in(Store& store, const LineList& granules, std::uint8_t* missed) const;

    CacheGeometry geometry_;
    bool miss_kinds_;
    TagStore tags_;
    /// The ideal cache; none without kinds, or where the cache itself is fully associative LRU.
    std::optional<LruStack> ideal_;
    UnitScale line_of_; ///< from a granule to its line
    std::int64_t sectors_per_line_;
    CacheCounts counts_;
    BitField touched_; ///< granules that were looked up by address
    std::vector<std::uint8_t> missed_;
    std::vector<std::uint8_t> ideal_missed_;
};

} // namespace texelscope::sim
