#pragma once

#include "base/stop.hpp"
#include "sim/layout/bit_field.hpp"
#include "sim/memory/cache_hierarchy.hpp"
#include "sim/memory/coalescer.hpp"
#include "sim/memory/image_storage.hpp"
#include "sim/memory/sequence_memory.hpp"
#include "sim/memory/timed_memory.hpp"
#include "sim/options/options.hpp"
#include "sim/result/simulation_observer.hpp"
#include "sim/result/simulation_result.hpp"
#include "traces/trace_source.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace texelscope::sim {

// The memory of a launch, from the reads of a warp to the counters of the caches.
//
// In go the images of the launch, which are placed in memory (store_images()), and then its warp
// accesses, one call of access() each, in the order of the simulation. Either an access comes as
// lanes (WarpAccess): then the Coalescer finds its granules; or it comes as granules that the
// caller has found already, mostly by LinePatterns. A granule is a sector of L1, or a line where
// there are no sectors. Each granule is one lookup in the CacheHierarchy, L1 first. At the end,
// finish() writes counters of all levels into the SimulationResult.
//
// Jumps over repetition go past access(): counters() before and after a stretch, then repeat().
//
// What always holds: the granules of one access are distinct. Where kinds of misses are asked for,
// touched() has every granule that was looked up: a first touch misses in every cache, so the
// number of these granules is the number of compulsory misses, which finish() needs. access() with
// lanes keeps touched() itself; whoever calls access() with granules has to.

/// Everything that is counted about a launch up to one moment. Differences of two moments add up,
/// however the launch is cut into stretches.
struct Counters {
    std::vector<CacheCounts> caches; ///< as CacheHierarchy::counts()
    std::int64_t steps = 0;          ///< warp accesses
    std::int64_t border_reads = 0;   ///< lanes that read outside and touched no memory
};

/// The memory of a launch: its images, the coalescer, and the caches; see the top of this file.
/// Observers are told of each lookup; with observers, lookups are made one by one, which is slower.
class MemoryHierarchy {
public:
    /// All arguments must outlive this. Observers are told the kinds of misses, so the options must
    /// ask for kinds where there are observers. `sequence`: null, or the sequence that the launch
    /// is part of: it says where the images lie and what the shared caches hold at first; finish()
    /// writes to it what they hold at the end.
    MemoryHierarchy(std::span<const Image> images, const SimulationOptions& options,
                    const StopToken& stop, std::span<SimulationObserver* const> observers = {},
                    SequenceMemory* sequence = nullptr);

    /// One warp access as a source delivers it. Where `lookups` is not null, one entry for each
    /// lookup in L1 is written to it, in order: where the lookup found its data. Throws
    /// Interrupted.
    void access(int core, WarpId warp, const WarpAccess& access,
                std::vector<TimedLookup>* lookups = nullptr);

    /// One warp access to one image, by its distinct granules. `texel_reads` is the number of lanes
    /// that touch memory, `border_reads` that of the others. Only without observers.
    void access(int core, std::size_t image, const LineList& granules, std::int64_t texel_reads,
                std::int64_t border_reads)
    {
        count_step(border_reads, granules.deltas.size());
        caches_.access(core, granules, texel_reads, {}, is_buffer_[image]);
    }
    /// An access by granules that writes to `lookups` where each lookup found its data.
    void access(int core, std::size_t image, const LineList& granules, std::int64_t texel_reads,
                std::int64_t border_reads, std::vector<TimedLookup>& lookups);
    /// An access by granules of an image that is no buffer. Slower: writes to `details`, which has
    /// one element per granule, what each lookup in L1 met.
    void access(int core, const LineList& granules, std::int64_t texel_reads,
                std::int64_t border_reads, std::span<LookupDetail> details)
    {
        count_step(border_reads, granules.deltas.size());
        caches_.access(core, granules, texel_reads, details);
    }

    [[nodiscard]] Counters counters() const { return {caches_.counts(), steps_, border_reads_}; }
    /// Adds `times` times what was counted between two moments to the counters.
    void repeat(const Counters& from, const Counters& to, std::int64_t times);

    [[nodiscard]] CacheHierarchy& caches() { return caches_; }
    [[nodiscard]] const CacheHierarchy& caches() const { return caches_; }
    [[nodiscard]] std::span<const StoredImage> images() const { return images_; }
    [[nodiscard]] std::int64_t granule() const { return granule_; } ///< bytes of one lookup in L1
    /// Number of lookups in L1 that were simulated, without those of repeat().
    [[nodiscard]] std::int64_t simulated_lookups() const { return lookups_; }
    /// Granules that were looked up, by [core * images + image]. Where kinds of misses are asked
    /// for, whoever calls access() with granules adds them here.
    [[nodiscard]] std::vector<BitField>& touched() { return touched_; }
    void touch(int core, std::size_t image, std::int64_t granule)
    {
        touched_[static_cast<std::size_t>(core) * images_.size() + image].insert(granule);
    }
    void touch(int core, std::size_t image, const LineList& granules)
    {
        touched_[static_cast<std::size_t>(core) * images_.size() + image].insert(granules.first,
                                                                                 granules.deltas);
    }

    /// Writes caches, steps and border reads of the result, and the shared caches to the sequence;
    /// result.cores must have one entry per core.
    void finish(SimulationResult& result) const;

private:
    /// The part of finish() for the levels behind L1. Returns the bytes that the last of them
    /// fetched from memory.
    Bytes finish_behind(SimulationResult& result) const;
    /// The part of access() where there are observers.
    void observed_access(int core, WarpId warp, const WarpAccess& access,
                         std::vector<TimedLookup>* lookups);
    void count_step(std::int64_t border_reads, std::size_t lookups)
    {
        check_stop_();
        ++steps_simulated_;
        ++steps_;
        border_reads_ += border_reads;
        lookups_ += static_cast<std::int64_t>(lookups);
    }

    const SimulationOptions& options_;
    StopCheck check_stop_;
    std::span<SimulationObserver* const> observers_;
    std::vector<StoredImage> images_;
    CacheHierarchy caches_;
    std::int64_t granule_;
    std::int64_t steps_ = 0;           ///< warp accesses, repeated ones included
    std::int64_t steps_simulated_ = 0; ///< warp accesses without repeated ones
    std::int64_t border_reads_ = 0;
    std::int64_t lookups_ = 0; ///< simulated lookups in L1
    std::vector<BitField> touched_;
    std::vector<bool> is_buffer_; ///< of each image
    SequenceMemory* sequence_;
    Coalescer coalescer_;
    std::vector<FoundIn> found_;   ///< scratch
    std::vector<LaneRead> inside_; ///< scratch
};

} // namespace texelscope::sim
