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

/// What one lookup met, without its kind.
struct LookupDetail {
    bool missed = false;
    /// In a fully associative LRU cache of the same capacity too; `missed` without kinds.
    bool ideal_missed = false;
    std::int64_t evicted_line = -1;
};

/// One cache, empty at first: alone, by addresses, or as a level of a hierarchy, by granules
/// (sectors, or lines where there are none). Read-only: there are no write-backs.
class Cache {
public:
    /// `footprint`: every address looked up is below it (it sizes tables of 4 bytes a line).
    /// Without `miss_kinds` misses are not classified, which is faster. Throws bad_input for a
    /// geometry that does not validate.
    Cache(const CacheGeometry& geometry, Bytes footprint, bool miss_kinds = true);

    /// Looks up the line (sector) that holds `address`; on a miss, fills it. Without kinds a miss
    /// of a line that was there before is told to be one of capacity.
    LookupOutcome lookup(std::int64_t address);
    /// Whether the line (sector) that holds `address` is present. Changes nothing.
    [[nodiscard]] bool contains(std::int64_t address) const;
    [[nodiscard]] const CacheGeometry& geometry() const { return geometry_; }
    /// Of a cache that is asked by addresses alone.
    [[nodiscard]] CacheStatistics statistics() const { return statistics(touched_.count()); }

    /// Looks up granules in their order, all at once. Writes to missed[i], unless that is null: 1
    /// where granule i was absent, else 0.
    void look_up(const LineList& granules, std::uint8_t* missed);
    /// The same, slower: tells what each lookup met. `details` has an element for each granule.
    void look_up(const LineList& granules, std::span<LookupDetail> details);
    [[nodiscard]] CacheCounts& counts() { return counts_; }
    [[nodiscard]] const CacheCounts& counts() const { return counts_; }
    /// `compulsory`: distinct granules that were looked up; the first touch of one misses in every
    /// cache.
    [[nodiscard]] CacheStatistics statistics(std::int64_t compulsory) const;

    /// Contents at one moment.
    struct Snapshot {
        TagSnapshot tags;
        std::optional<LruStack::Snapshot> ideal;
    };
    [[nodiscard]] Snapshot save() const;
    void restore(const Snapshot& snapshot);
    /// Whether a translation rotates the sets as a whole and the policy can follow; only such ones
    /// can be compared or done.
    [[nodiscard]] bool rotates_sets(const LineShift& shift) const;
    /// Whether the contents are those of the snapshot, translated: of the tags; of the ideal cache,
    /// true where there is none.
    [[nodiscard]] bool tags_are_shifted(const Snapshot& snapshot, const LineShift& shift) const;
    [[nodiscard]] bool ideal_is_shifted(const Snapshot& snapshot, const LineShift& shift) const;
    /// Translates the contents.
    void shift(const LineShift& shift);
    /// Numbers that a snapshot holds of each.
    [[nodiscard]] std::int64_t tags_size() const;
    [[nodiscard]] std::int64_t ideal_size() const;

private:
    /// Where a granule is.
    struct Place {
        std::int64_t line;
        std::uint64_t sector_mask;
    };
    [[nodiscard]] Place place(std::int64_t granule) const
    {
        const std::int64_t line = line_of_(granule);
        return {line, std::uint64_t{1} << (granule - line * sectors_per_line_)};
    }
    template <class Store>
    LookupCount look_up_in(Store& store, const LineList& granules, std::uint8_t* missed) const;

    CacheGeometry geometry_;
    bool miss_kinds_;
    TagStore tags_;
    /// Fully associative LRU of the same capacity, where that tells kinds apart.
    std::optional<LruStack> ideal_;
    UnitScale line_of_; ///< of a granule
    std::int64_t sectors_per_line_;
    CacheCounts counts_;
    BitField touched_; ///< granules that were looked up by address
    std::vector<std::uint8_t> missed_;
    std::vector<std::uint8_t> ideal_missed_;
};

} // namespace texelscope::sim
