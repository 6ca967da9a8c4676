#pragma once

#include "sim/cache/tag_store.hpp"
#include "sim/options/options.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace texelscope::sim {

/// Counters of one cache that add up over any cutting of a launch.
struct CacheCounts {
    std::int64_t texel_reads = 0; ///< L1 only
    std::int64_t lookups = 0;
    std::int64_t misses = 0;
    /// Misses that a fully associative LRU cache of the same capacity has too; 0 where kinds are not asked for.
    std::int64_t ideal_misses = 0;
    std::int64_t evictions = 0;

    CacheCounts& operator+=(const CacheCounts& other);
    friend CacheCounts operator-(const CacheCounts& a, const CacheCounts& b);
    friend CacheCounts operator*(const CacheCounts& a, std::int64_t factor);
};

/// A translation of memory: each image moves by a distance of its own.
struct MemoryShift {
    struct ImageBytes {
        std::int64_t first = 0;    ///< address of the image
        std::int64_t distance = 0; ///< bytes; a multiple of every cache line
        bool moves = false;        ///< something reads it
    };
    std::vector<ImageBytes> images;

    [[nodiscard]] LineShift lines_of(Bytes line) const;
    [[nodiscard]] MemoryShift times(std::int64_t factor) const;
};

/// What one lookup in L1 met.
struct LookupDetail {
    bool missed = false;
    bool ideal_missed = false; ///< in a fully associative LRU cache of the same capacity too; `missed` without kinds
    std::int64_t evicted_line = -1;
};

/// Where a lookup found its data; without an L2, what is not in L1 is in memory.
enum class FoundIn : std::uint8_t { l1, l2, memory };

/// The L1 of every core and the L2 behind them (or none), for counting.
class CacheTree {
public:
    /// `footprint`: every address is below it.
    CacheTree(const SimulationOptions& options, Bytes footprint);
    ~CacheTree();
    CacheTree(CacheTree&&) noexcept;
    CacheTree& operator=(CacheTree&&) noexcept;

    /// One warp access: looks up granules of L1, and what is absent in L2.
    void access(int core, const LineList& granules, std::int64_t texel_reads);
    /// The same, slower: tells what each lookup in L1 met. `details` has an element for each granule.
    void access(int core, const LineList& granules, std::int64_t texel_reads, std::span<LookupDetail> details);
    /// The same: tells where each lookup found its data. `found` has an element for each granule.
    void access(int core, const LineList& granules, std::int64_t texel_reads, std::span<FoundIn> found);

    /// Of the L1s, by core, then of L2 where there is one.
    [[nodiscard]] const std::vector<CacheCounts>& counts() const { return counts_; }
    /// Adds `factor` times what was counted between two moments.
    void add(const std::vector<CacheCounts>& from, const std::vector<CacheCounts>& to, std::int64_t factor);

    /// From now on contents means those of the L1s of cores [first, last), and of L2 where there is one.
    void look_at_cores(int first, int last)
    {
        first_level_ = static_cast<std::size_t>(first);
        last_level_ = static_cast<std::size_t>(last) + (has_l2_ ? 1 : 0);
    }
    /// Contents of the caches at one moment.
    struct Snapshot {
        std::vector<TagSnapshot> tags;
        std::vector<std::optional<LruStack::Snapshot>> shadows;
    };
    [[nodiscard]] Snapshot save() const;
    void restore(const Snapshot& snapshot);
    /// Whether a translation turns the sets of every cache as a whole; only such ones can be compared or done.
    [[nodiscard]] bool turns_sets(const MemoryShift& shift) const;
    struct Comparison {
        bool equal = false;
        std::int64_t compared = 0; ///< numbers, at most
    };
    /// Whether the contents are those of the snapshot, translated.
    [[nodiscard]] Comparison is_shifted(const Snapshot& snapshot, const MemoryShift& shift) const;
    /// Translates the contents.
    void shift(const MemoryShift& shift);
    /// Numbers that a snapshot holds: what it costs to take or to compare one.
    [[nodiscard]] std::int64_t snapshot_size() const;

private:
    struct Level;

    /// Numbers of units of one size to numbers of the units of another size that hold their first byte.
    struct Rescale {
        Rescale(std::int64_t from_unit, std::int64_t to_unit);
        std::int64_t operator()(std::int64_t number) const
        {
            return shift >= 0 ? number * from >> shift : number * from / to;
        }
        std::int64_t from;
        std::int64_t to;
        int shift = -1; ///< log2(to) where that is whole
    };

    /// `missed`: see LruSets::access_all().
    void look_up(std::size_t cache, const LineList& granules, std::uint8_t* missed);
    void make_room(std::size_t granules);
    /// Looks up in L2 what missed_ says is absent from L1, in that order. `missed`: whether it is absent there too.
    void look_up_missed(const LineList& granules, std::uint8_t* missed);

    std::vector<Level> levels_;   ///< the L1s, then L2
    std::size_t first_level_ = 0; ///< contents are those of the levels from here
    std::size_t last_level_;      ///< to here, excluded
    std::vector<CacheCounts> counts_;
    bool has_l2_;
    Rescale to_l2_;       ///< granules of L1 to granules of L2
    bool distinct_in_l2_; ///< different granules of L1 are different granules of L2
    std::vector<std::uint8_t> missed_;
    std::vector<std::uint8_t> missed_in_l2_;
    std::vector<std::uint8_t> ideal_missed_;
    std::vector<std::int32_t> l2_granules_;
};

} // namespace texelscope::sim
