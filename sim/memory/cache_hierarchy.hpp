#pragma once

#include "sim/cache/cache.hpp"
#include "sim/options/options.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace texelscope::sim {

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

/// Where a lookup found its data; without an L2, what is not in L1 is in memory.
enum class FoundIn : std::uint8_t { l1, l2, memory };

/// The caches of the first level of every core, and the L2 behind them (or none). What reads of buffers meet first is
/// BufferPath's to say; where they have caches of their own, these count as one with the core's L1.
class CacheHierarchy {
public:
    /// `footprint`: every address is below it.
    CacheHierarchy(const SimulationOptions& options, Bytes footprint);
    CacheHierarchy(const CacheHierarchy&) = delete; // the view is of its own caches
    CacheHierarchy& operator=(const CacheHierarchy&) = delete;

    /// One warp access to an image, or to a buffer: looks up granules of L1, and what is absent in L2. Tells where each lookup
    /// found its data, unless `found` is empty; else it has an element for each granule.
    void access(int core, const LineList& granules, std::int64_t texel_reads, std::span<FoundIn> found = {},
                bool buffer = false);
    /// The same, slower: tells what each lookup in L1 met. `details` has an element for each granule.
    void access(int core, const LineList& granules, std::int64_t texel_reads, std::span<LookupDetail> details);

    /// What one lookup met, with the kinds of its misses.
    struct Outcome {
        LookupOutcome l1;
        std::optional<LookupOutcome> l2; ///< where L1 missed and there is an L2
    };
    /// Looks up a single granule, by its address; a hierarchy is asked in this way for all or for none.
    Outcome lookup(int core, std::int64_t address);
    void add_texel_reads(int core, std::int64_t texel_reads)
    {
        caches_[static_cast<std::size_t>(core)].counts().texel_reads += texel_reads;
    }

    [[nodiscard]] const Cache& l1(int core) const { return caches_[static_cast<std::size_t>(core)]; }
    /// Null where reads of buffers meet no cache of their own.
    [[nodiscard]] const Cache* buffer_l1(int core) const
    {
        return buffers_ == BufferPath::Kind::own_l1 ? &caches_[static_cast<std::size_t>(cores_ + core)] : nullptr;
    }
    /// There must be one.
    [[nodiscard]] const Cache& l2() const { return caches_.back(); }
    /// Of the L1s, by core, then those of buffers where they are caches of their own, then of L2 where there is one.
    [[nodiscard]] std::vector<CacheCounts> counts() const;
    /// Adds `factor` times what was counted between two moments.
    void add(const std::vector<CacheCounts>& from, const std::vector<CacheCounts>& to, std::int64_t factor);

    /// From now on contents means those of the first level of cores [first, last), and of L2 where there is one.
    void look_at_cores(int first, int last);
    /// Contents of L2, if there is one: whatever is in view.
    [[nodiscard]] std::optional<Cache::Snapshot> save_l2() const
    {
        return has_l2_ ? std::optional(l2().save()) : std::nullopt;
    }
    void restore_l2(const Cache::Snapshot& contents) { caches_.back().restore(contents); }
    /// Contents of the caches at one moment.
    using Snapshot = std::vector<Cache::Snapshot>;
    [[nodiscard]] Snapshot save() const;
    void restore(const Snapshot& snapshot);
    /// Whether a translation rotates the sets of every cache as a whole; only such ones can be compared or done.
    [[nodiscard]] bool rotates_sets(const MemoryShift& shift) const;
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
    /// Looks up in L2 what missed_ says is absent from L1, in that order. `missed`: whether it is absent there too.
    void look_up_missed(const LineList& granules, std::uint8_t* missed);

    std::vector<Cache> caches_; ///< the L1s, those of buffers, then L2
    int cores_;
    BufferPath::Kind buffers_;
    bool has_l2_;
    std::vector<Cache*> in_view_; ///< whose contents are meant
    UnitScale to_l2_;          ///< granules of L1 to granules of L2
    bool distinct_in_l2_;      ///< different granules of L1 are different granules of L2
    std::vector<std::uint8_t> missed_;
    std::vector<std::uint8_t> missed_in_l2_;
    std::vector<std::int32_t> l2_granules_;
};

} // namespace texelscope::sim
