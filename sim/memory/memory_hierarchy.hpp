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

/// Everything that is counted about a launch, at one moment: it adds up over any cutting of the
/// launch.
struct Counters {
    std::vector<CacheCounts> caches; ///< L1s, then the levels behind
    std::int64_t steps = 0;          ///< warp accesses
    std::int64_t border_reads = 0;
};

/// The memory of a launch: its images, the coalescer, and the caches. Whoever observes the lookups
/// is told of each; then they are made one by one.
class MemoryHierarchy {
public:
    /// All arguments must outlive this. Observers are told the kinds of misses, so the options must
    /// ask for them. `sequence`: of a launch that is part of one, where its images lie and what is
    /// in the caches that all cores share; finish() writes there what is in them then.
    MemoryHierarchy(std::span<const Image> images, const SimulationOptions& options,
                    const StopToken& stop, std::span<SimulationObserver* const> observers = {},
                    SequenceMemory* sequence = nullptr);

    /// One warp access as a source delivers it. Where `lookups` is not null, it tells of every
    /// lookup in L1 where it found its data, in their order. Throws Interrupted.
    void access(int core, WarpId warp, const WarpAccess& access,
                std::vector<TimedLookup>* lookups = nullptr);

    /// One warp access to an image whose lanes are coalesced to granules of L1, all different;
    /// nobody observes.
    void access(int core, std::size_t image, const LineList& granules, std::int64_t texel_reads,
                std::int64_t border_reads)
    {
        count_step(border_reads, granules.deltas.size());
        caches_.access(core, granules, texel_reads, {}, is_buffer_[image]);
    }
    /// The same: tells where each lookup found its data.
    void access(int core, std::size_t image, const LineList& granules, std::int64_t texel_reads,
                std::int64_t border_reads, std::vector<TimedLookup>& lookups);
    /// The same, slower: tells what each lookup in L1 met.
    void access(int core, const LineList& granules, std::int64_t texel_reads,
                std::int64_t border_reads, std::span<LookupDetail> details)
    {
        count_step(border_reads, granules.deltas.size());
        caches_.access(core, granules, texel_reads, details);
    }

    [[nodiscard]] Counters counters() const { return {caches_.counts(), steps_, border_reads_}; }
    /// Counts `times` times more what was counted between two moments.
    void repeat(const Counters& from, const Counters& to, std::int64_t times);

    [[nodiscard]] CacheHierarchy& caches() { return caches_; }
    [[nodiscard]] const CacheHierarchy& caches() const { return caches_; }
    [[nodiscard]] std::span<const StoredImage> images() const { return images_; }
    [[nodiscard]] std::int64_t granule() const { return granule_; } ///< bytes of one lookup in L1
    /// Lookups in L1 that were simulated one by one.
    [[nodiscard]] std::int64_t simulated_lookups() const { return lookups_; }
    /// Granules that were looked up, [core * images + image]; whoever calls access() with granules
    /// keeps it up to date, where kinds of misses are asked for.
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

    /// Writes caches, steps and border reads of the result; result.cores has one entry a core.
    void finish(SimulationResult& result) const;

private:
    /// The levels behind L1 of finish(): what the last of them fetched from memory.
    Bytes finish_behind(SimulationResult& result) const;
    /// access() for observers.
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
    std::int64_t steps_ = 0;
    std::int64_t steps_simulated_ = 0;
    std::int64_t border_reads_ = 0;
    std::int64_t lookups_ = 0;
    std::vector<BitField> touched_;
    std::vector<bool> is_buffer_; ///< of each image
    SequenceMemory* sequence_;
    Coalescer coalescer_;
    std::vector<FoundIn> found_;   ///< scratch
    std::vector<LaneRead> inside_; ///< scratch
};

} // namespace texelscope::sim
