#pragma once

#include "sim/cache/cache.hpp"
#include "sim/options/options.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace texelscope::sim {

/// A translation of memory: each image moves by a distance of its own.
struct MemoryShift {
    struct ImageBytes {
        std::int64_t first = 0;    ///< address of the image's first byte
        std::int64_t distance = 0; ///< bytes; a multiple of every cache line
        bool moves = false;        ///< whether something reads the image
    };
    std::vector<ImageBytes> images; ///< ascending by address

    /// The same translation in lines of so many bytes.
    [[nodiscard]] LineShift lines_of(Bytes line) const;
    /// The translation that moves `factor` times as far.
    [[nodiscard]] MemoryShift times(std::int64_t factor) const;
};

/// Where a lookup found its data: number of the level, 0 for L1. The number of levels stands for
/// memory. This is also the number of levels that missed.
using FoundIn = std::uint8_t;

/// The caches of all levels, from L1 to the last one before memory: first the levels where each
/// core has a cache of its own, then those that all cores share. A lookup that misses in one level
/// is a lookup in the next, at the address of the granule that the level before asks for.
/// BufferPath says what reads of buffers meet first; where they have caches of their own, results
/// add these to the core's L1.
///
/// For jumps over repetition, the contents of the caches in view (look_at_cores()) can be saved,
/// compared with saved ones up to a translation (is_shifted()), and translated (shift()).
class CacheHierarchy {
public:
    /// `footprint`: size of memory; every address is below it.
    CacheHierarchy(const SimulationOptions& options, Bytes footprint);
    CacheHierarchy(const CacheHierarchy&) = delete; // in_view_ points into caches_
    CacheHierarchy& operator=(const CacheHierarchy&) = delete;

    /// One warp access to an image or a buffer: looks up granules of L1, and those that miss in the
    /// levels behind it. `found` is empty, or has one element per granule, to which goes where the
    /// lookup found its data.
    void access(int core, const LineList& granules, std::int64_t texel_reads,
                std::span<FoundIn> found = {}, bool buffer = false);
    /// One warp access to an image. Slower: writes to `details`, which has one element per granule,
    /// what each lookup in L1 met.
    void access(int core, const LineList& granules, std::int64_t texel_reads,
                std::span<LookupDetail> details);

    /// What one lookup met, with the kinds of its misses.
    struct Outcome {
        LookupOutcome l1;
        LevelOutcomes behind; ///< empty where L1 hit
    };
    /// Looks up a single granule of an image, by its address. A hierarchy gets either all or none
    /// of its lookups in this way.
    Outcome lookup(int core, std::int64_t address);
    void add_texel_reads(int core, std::int64_t texel_reads)
    {
        caches_[static_cast<std::size_t>(core)].counts().texel_reads += texel_reads;
    }

    [[nodiscard]] const Cache& l1(int core) const
    {
        return caches_[static_cast<std::size_t>(core)];
    }
    /// The first cache for reads of buffers; null where these have no cache of their own.
    [[nodiscard]] const Cache* buffer_l1(int core) const
    {
        return buffers_ == BufferPath::Kind::own_l1
                   ? &caches_[static_cast<std::size_t>(cores_ + core)]
                   : nullptr;
    }
    /// Number of levels behind L1. The functions below count these levels from 0.
    [[nodiscard]] std::size_t levels_behind() const { return behind_.size(); }
    [[nodiscard]] const std::string& name(std::size_t behind) const { return behind_[behind].name; }
    [[nodiscard]] bool is_shared(std::size_t behind) const { return behind_[behind].shared; }
    [[nodiscard]] const Cache& behind(std::size_t behind, int core) const
    {
        return caches_[behind_[behind].cache_of(core)];
    }
    /// Counts of all caches: the L1s by core, then the caches of buffers by core where there are
    /// any, then the caches of the levels behind.
    [[nodiscard]] std::vector<CacheCounts> counts() const;
    /// Adds `factor` times what was counted between two moments.
    void add(const std::vector<CacheCounts>& from, const std::vector<CacheCounts>& to,
             std::int64_t factor);

    /// Chooses the caches in view: those of cores [first, last), and those that all cores share.
    void look_at_cores(int first, int last);
    /// Contents of some caches at one moment.
    using Snapshot = std::vector<Cache::Snapshot>;
    /// Contents of the levels that all cores share, whatever is in view.
    [[nodiscard]] Snapshot save_shared() const;
    void restore_shared(const Snapshot& contents);
    /// Contents of the caches in view.
    [[nodiscard]] Snapshot save() const;
    void restore(const Snapshot& snapshot);
    /// Whether a translation rotates the sets of every cache as a whole. Only then may it be given
    /// to is_shifted() and shift().
    [[nodiscard]] bool rotates_sets(const MemoryShift& shift) const;
    struct Comparison {
        bool equal = false;
        std::int64_t compared = 0; ///< upper bound of the numbers that were compared
    };
    /// Whether the contents of the caches in view are those of the snapshot, translated.
    [[nodiscard]] Comparison is_shifted(const Snapshot& snapshot, const MemoryShift& shift) const;
    /// Translates the contents of the caches in view.
    void shift(const MemoryShift& shift);
    /// How many numbers save() holds: the price of taking or comparing a snapshot.
    [[nodiscard]] std::int64_t snapshot_size() const;

private:
    /// One level behind L1.
    struct Behind {
        std::string name;
        std::size_t first = 0; ///< index into caches_ of its cache, or of that of core 0
        bool shared = true;
        UnitScale scale; ///< from numbers of granules of the level before to those of this one
        bool distinct;   ///< a warp access never asks for one of its granules twice

        [[nodiscard]] std::size_t cache_of(int core) const
        {
            return first + (shared ? 0 : static_cast<std::size_t>(core));
        }
    };
    /// Looks up, in the levels behind L1, the granules i with missed_[i] == 1, in order. Where
    /// `wants_found`, missed_[i] becomes the number of levels that missed granule i.
    void look_up_behind(int core, const LineList& granules, bool wants_found);

    std::vector<Cache> caches_; ///< in the order of counts()
    int cores_;
    BufferPath::Kind buffers_;
    std::vector<Behind> behind_;
    std::vector<Cache*> in_view_;
    // Scratch of one access.
    std::vector<std::uint8_t> missed_;        ///< by granule of L1
    std::vector<std::uint8_t> missed_behind_; ///< by entry of asked_
    std::vector<std::int32_t> asked_;         ///< granules that the present level is asked for
};

} // namespace texelscope::sim
