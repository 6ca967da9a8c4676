#pragma once

#include "sim/memory/line_patterns.hpp"
#include "sim/memory/memory_hierarchy.hpp"
#include "sim/repetition/access_log.hpp"
#include "sim/repetition/heat_recorder.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace texelscope::sim {

/// What may be spent on looking for repetition in one loop: a share of the lookups simulated inside
/// of it. In numbers copied or compared, each of which costs a fraction of a lookup.
class Budget {
public:
    /// Credits the lookups since the last call.
    void credit(std::int64_t simulated_lookups)
    {
        constexpr std::int64_t lookups_per_number = 4;
        numbers_ += (simulated_lookups - seen_) / lookups_per_number;
        seen_ = simulated_lookups - (simulated_lookups - seen_) % lookups_per_number;
    }
    /// Goes on counting at this number of lookups: what came before was not inside of the loop.
    void resume(std::int64_t simulated_lookups) { seen_ = simulated_lookups; }
    [[nodiscard]] bool allows(std::int64_t numbers) const { return numbers <= numbers_; }
    /// Whether it is worth while to look for repetition at all; pays for looking.
    [[nodiscard]] bool allows_look()
    {
        constexpr std::int64_t price = 64; // computing a translation, and what it does to the sets
        const bool allowed = allows(price);
        spend(allowed ? price : 0);
        return allowed;
    }
    void spend(std::int64_t numbers) { numbers_ -= numbers; }

private:
    std::int64_t numbers_ = 4096; ///< so that small caches are looked at from the start
    std::int64_t seen_ = 0;
};

/// A moment to which the simulation may later turn out to have returned.
struct Checkpoint {
    std::int64_t iteration = 0; ///< of the loop, or number of the round
    CacheHierarchy::Snapshot caches;
    Counters counters;
    AccessLog::Position log;
    std::int64_t epoch = 0; ///< of the log
    HeatRecorder::Origins origins;
};

/// By image, in texels, moved that many times.
[[nodiscard]] std::vector<Texel> multiplied(std::vector<Texel> step, std::int64_t times);

/// An untimed simulation, access by access, and what it takes to pass over repetition in it:
/// contents at some moments, and a log of what was done since.
class JumpingSimulation {
public:
    /// Everything must outlive this. `request`: the heat maps that are wanted, if any; `sequence`:
    /// see MemoryHierarchy.
    JumpingSimulation(std::span<const Image> images, const SimulationOptions& options,
                      const LaneShapes& shapes, const HeatRequest* request, const StopToken& stop,
                      SequenceMemory* sequence = nullptr);

    /// Whether repetition may be passed over.
    [[nodiscard]] bool jumps() const { return jumps_; }
    [[nodiscard]] std::int64_t simulated_lookups() const { return memory_.simulated_lookups(); }
    [[nodiscard]] std::size_t image_count() const { return memory_.images().size(); }

    /// From now on only cores [first, last), with what is behind them, have accesses.
    void begin_cores(int first, int last);
    void simulate(const LoggedAccess& access);
    void end_cores();

    [[nodiscard]] bool affords_checkpoint(const Budget& budget) const
    {
        return budget.allows(snapshot_size());
    }
    [[nodiscard]] Checkpoint checkpoint_at(std::int64_t iteration, Budget& budget);
    /// Numbers that a checkpoint holds.
    [[nodiscard]] std::int64_t snapshot_size() const { return memory_.caches().snapshot_size(); }
    /// Whether the log still reaches back to it.
    [[nodiscard]] bool is_current(const Checkpoint& checkpoint) const
    {
        return checkpoint.epoch == log_epoch_;
    }
    [[nodiscard]] bool is_current(const std::optional<Checkpoint>& checkpoint) const
    {
        return checkpoint && is_current(*checkpoint);
    }

    /// The translation of memory that belongs to a step of the images that are read; nothing where
    /// storage does not repeat after it, or the sets of some cache do not rotate as a whole.
    [[nodiscard]] std::optional<MemoryShift> shift_of(const std::vector<Texel>& step,
                                                      const std::vector<bool>& reads) const;
    /// Whether the caches are as they were at the checkpoint, moved by the step; pays for looking.
    [[nodiscard]] bool returned_to(const Checkpoint& checkpoint, const MemoryShift& shift,
                                   const std::vector<Texel>& step, Budget& budget) const;
    /// How many times what was done from the checkpoint to `part`, or until now where that is null,
    /// can move by the step.
    [[nodiscard]] std::int64_t most_repeats(const Checkpoint& checkpoint, const Checkpoint* part,
                                            const std::vector<Texel>& step) const;
    /// Passes over `times` repetitions of what was done since the checkpoint, and then, unless that
    /// is null, over one more of what was done from the checkpoint to `part`.
    void jump(const Checkpoint& checkpoint, const Checkpoint* part, const MemoryShift& shift,
              const std::vector<Texel>& step, std::int64_t times);

    /// After the end: writes the counters; result.cores has one entry a core.
    void finish(SimulationResult& result);
    /// After finish(), where maps are wanted.
    [[nodiscard]] HeatMaps heat_maps(std::span<const Image> images) { return heat_->maps(images); }

private:
    /// Writes the log into the set of touched granules and the maps, and starts it anew.
    void flush_log();

    const StopToken& stop_;
    const LaneShapes& shapes_;
    bool miss_kinds_;
    MemoryHierarchy memory_;
    LinePatterns patterns_;
    AccessLog log_;
    std::int64_t log_epoch_ = 0;
    std::optional<HeatRecorder> heat_;
    std::vector<LookupDetail> details_; ///< scratch
    bool jumps_;
    bool logs_;
};

} // namespace texelscope::sim
