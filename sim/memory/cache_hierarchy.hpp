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
        std::int64_t first = 0;    ///< address of the image
        std::int64_t distance = 0; ///< bytes; a multiple of every cache line
        bool moves = false;        ///< something reads it
    };
    std::vector<ImageBytes> images;

    [[nodiscard]] LineShift lines_of(Bytes line) const;
    [[nodiscard]] MemoryShift times(std::int64_t factor) const;
};

/// Number of the level where a lookup found its data, from 0 for L1; as many as there are levels:
/// memory.
using FoundIn = std::uint8_t;

/// The caches of every level, from L1 to what lies before memory: a core's own, then those that all
/// cores share. What is absent from a level is looked up in the next, once for each lookup that
/// missed, at the address of the granule that was asked for. What reads of buffers meet first is
/// BufferPath's to say; where they have caches of their own, these count as one with the core's L1.
class CacheHierarchy {
public:
    /// `footprint`: every address is below it.
    CacheHierarchy(const SimulationOptions& options, Bytes footprint);
    CacheHierarchy(const CacheHierarchy&) = delete; // the view is of its own caches
    CacheHierarchy& operator=(const CacheHierarchy&) = delete;

    /// One warp access to an image, or to a buffer: looks up granules of L1, and what is absent in
    /// the levels behind it. Tells where each lookup found its data, unless `found` is empty; else
    /// it has an element for each granule.
    void access(int core, const LineList& granules, std::int64_t texel_reads,
                std::span<FoundIn> found = {}, bool buffer = false);
    /// The same, slower: tells what each lookup in L1 met. `details` has an element for each
    /// granule.
    void access(int core, const LineList& granules, std::int64_t texel_reads,
                std::span<LookupDetail> details);

    /// What one lookup met, with the kinds of its misses.
    struct Outcome {
        LookupOutcome l1;
        LevelOutcomes behind; ///< none where L1 hit
    };
    /// Looks up a single granule, by its address; a hierarchy is asked in this way for all or for
    /// none.
    Outcome lookup(int core, std::int64_t address);
    void add_texel_reads(int core, std::int64_t texel_reads)
    {
        caches_[static_cast<std::size_t>(core)].counts().texel_reads += texel_reads;
    }

    [[nodiscard]] const Cache& l1(int core) const
    {
        return caches_[static_cast<std::size_t>(core)];
    }
    /// Null where reads of buffers meet no cache of their own.
    [[nodiscard]] const Cache* buffer_l1(int core) const
    {
        return buffers_ == BufferPath::Kind::own_l1
                   ? &caches_[static_cast<std::size_t>(cores_ + core)]
                   : nullptr;
    }
    /// Levels behind L1.
    [[nodiscard]] std::size_t levels_behind() const { return behind_.size(); }
    [[nodiscard]] const std::string& name(std::size_t behind) const { return behind_[behind].name; }
    [[nodiscard]] bool is_shared(std::size_t behind) const { return behind_[behind].shared; }
    [[nodiscard]] const Cache& behind(std::size_t behind, int core) const
    {
        return caches_[behind_[behind].cache_of(core)];
    }
    /// Of the L1s, by core, then those of buffers where they are caches of their own, then of the
    /// levels behind.
    [[nodiscard]] std::vector<CacheCounts> counts() const;
    /// Adds `factor` times what was counted between two moments.
    void add(const std::vector<CacheCounts>& from, const std::vector<CacheCounts>& to,
             std::int64_t factor);

    /// From now on contents means those of cores [first, last), and of what all cores share.
    void look_at_cores(int first, int last);
    /// Contents of the caches at one moment.
    using Snapshot = std::vector<Cache::Snapshot>;
    /// Of the levels that all cores share, whatever is in view.
    [[nodiscard]] Snapshot save_shared() const;
    void restore_shared(const Snapshot& contents);
    [[nodiscard]] Snapshot save() const;
    void restore(const Snapshot& snapshot);
    /// Whether a translation rotates the sets of every cache as a whole; only such ones can be
    /// compared or done.
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
    /// One level behind L1.
    struct Behind {
        std::string name;
        std::size_t first = 0; ///< its place, or that of core 0's, in caches_
        bool shared = true;
        UnitScale scale; ///< granules of the level before to its own
        bool distinct;   ///< the granules of it that a warp access asks for are all different

        [[nodiscard]] std::size_t cache_of(int core) const
        {
            return first + (shared ? 0 : static_cast<std::size_t>(core));
        }
    };
    /// Looks up behind L1 what missed_ says is absent from it, in that order. `wants_found`:
    /// missed_ counts the levels that missed then.
    void look_up_behind(int core, const LineList& granules, bool wants_found);

    std::vector<Cache> caches_; ///< the L1s, those of buffers, then those of the levels behind
    int cores_;
    BufferPath::Kind buffers_;
    std::vector<Behind> behind_;
    std::vector<Cache*> in_view_; ///< whose contents are meant
    std::vector<std::uint8_t> missed_;
    std::vector<std::uint8_t> missed_behind_;
    std::vector<std::int32_t> asked_;
};

} // namespace texelscope::sim
