#pragma once

#include "sim/memory/line_patterns.hpp"
#include "sim/memory/memory_hierarchy.hpp"
#include "sim/repetition/access_log.hpp"
#include "sim/repetition/heat_recorder.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace texelscope::sim {

/// How much work may be spent on looking for repetition in one loop. The unit is one number that is
/// copied or compared, which costs a fraction of a simulated lookup. The budget grows with the
/// lookups simulated inside of the loop, so that looking costs at most a share of the simulation.
class Budget {
public:
    /// Adds to the budget for the lookups since the last call.
    /// `simulated_lookups`: all lookups of the simulation so far.
    void credit(std::int64_t simulated_lookups)
    {
        constexpr std::int64_t lookups_per_number = 4;
        numbers_ += (simulated_lookups - seen_) / lookups_per_number;
        seen_ = simulated_lookups - (simulated_lookups - seen_) % lookups_per_number;
    }
    /// Counts from `simulated_lookups` on when the loop is entered: lookups since the last call
    /// were not inside of the loop.
    void resume(std::int64_t simulated_lookups) { seen_ = simulated_lookups; }
    [[nodiscard]] bool allows(std::int64_t numbers) const { return numbers <= numbers_; }
    /// Whether the budget allows to look for repetition at all; spends the price of that look.
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

/// The state of a simulation at one moment. Later the simulation may find that it has returned to
/// this state, up to a translation.
struct Checkpoint {
    std::int64_t iteration = 0; ///< iteration of the loop, or number of the round
    CacheHierarchy::Snapshot caches;
    Counters counters;
    AccessLog::Position log;
    std::int64_t epoch = 0; ///< which log that position is in: see is_current()
    HeatRecorder::Origins origins;
};

/// A step by image, in texels, taken `times` times.
[[nodiscard]] std::vector<Texel> multiplied(std::vector<Texel> step, std::int64_t times);

/// An untimed simulation that can jump over repetition. The caller simulates access by access,
/// takes checkpoints, and asks at later moments whether the simulation has returned to one of them,
/// translated (returned_to()). If so, and if what is to come repeats what was done since the
/// checkpoint, jump() does all repetitions at once. `step`: by image, in texels, how far one
/// repetition moves its reads.
class JumpingSimulation {
public:
    /// All arguments must outlive this. `request`: the heat maps that are wanted, or null;
    /// `sequence`: see MemoryHierarchy.
    JumpingSimulation(std::span<const Image> images, const SimulationOptions& options,
                      const LaneShapes& shapes, const HeatRequest* request, const StopToken& stop,
                      SequenceMemory* sequence = nullptr);

    /// Whether jumps are possible with these images and options.
    [[nodiscard]] bool jumps() const { return jumps_; }
    [[nodiscard]] std::int64_t simulated_lookups() const { return memory_.simulated_lookups(); }
    [[nodiscard]] std::size_t image_count() const { return memory_.images().size(); }

    /// From now on only cores [first, last) have accesses; checkpoints hold the caches of these and
    /// the shared ones.
    void begin_cores(int first, int last);
    void simulate(const LoggedAccess& access);
    /// These cores are done.
    void end_cores();

    [[nodiscard]] bool affords_checkpoint(const Budget& budget) const
    {
        return budget.allows(snapshot_size());
    }
    /// Takes a checkpoint and spends its price.
    [[nodiscard]] Checkpoint checkpoint_at(std::int64_t iteration, Budget& budget);
    /// How many numbers a checkpoint holds: the price of taking or comparing one.
    [[nodiscard]] std::int64_t snapshot_size() const { return memory_.caches().snapshot_size(); }
    /// Whether the log still reaches back to the checkpoint. A log that is too long starts anew.
    [[nodiscard]] bool is_current(const Checkpoint& checkpoint) const
    {
        return checkpoint.epoch == log_epoch_;
    }
    [[nodiscard]] bool is_current(const std::optional<Checkpoint>& checkpoint) const
    {
        return checkpoint && is_current(*checkpoint);
    }

    /// The translation of memory that belongs to a step. nullopt where the storage layout of an
    /// image does not repeat after its step, or where the sets of some cache do not rotate as a
    /// whole. `reads`: by image, whether it is read.
    [[nodiscard]] std::optional<MemoryShift> shift_of(const std::vector<Texel>& step,
                                                      const std::vector<bool>& reads) const;
    /// Whether the contents of the caches are those of the checkpoint, translated; spends the price
    /// of comparing. `shift` must be shift_of(step). False where the budget does not suffice.
    [[nodiscard]] bool returned_to(const Checkpoint& checkpoint, const MemoryShift& shift,
                                   const std::vector<Texel>& step, Budget& budget) const;
    /// How many times the accesses from the checkpoint to `part` can repeat, each time moved by
    /// `step` (AccessLog::most_repeats()). Null `part` means until now.
    [[nodiscard]] std::int64_t most_repeats(const Checkpoint& checkpoint, const Checkpoint* part,
                                            const std::vector<Texel>& step) const;
    /// Jumps over `times` repetitions of everything since the checkpoint. Where `part` is not null,
    /// then also over one more repetition of everything from the checkpoint to `part`.
    void jump(const Checkpoint& checkpoint, const Checkpoint* part, const MemoryShift& shift,
              const std::vector<Texel>& step, std::int64_t times);

    /// Writes the counters after the end of the simulation; result.cores has one entry per core.
    void finish(SimulationResult& result);
    /// The heat maps, after finish(), where a request was given.
    [[nodiscard]] HeatMaps heat_maps(std::span<const Image> images) { return heat_->maps(images); }

private:
    /// Counts the log into the set of touched granules and into the heat maps, and starts a new
    /// log. Checkpoints before are not current then.
    void flush_log();

    const StopToken& stop_;
    const LaneShapes& shapes_;
    bool miss_kinds_;
    MemoryHierarchy memory_;
    LinePatterns patterns_;
    AccessLog log_;
    std::int64_t log_epoch_ = 0; ///< number of logs before this one
    std::optional<HeatRecorder> heat_;
    std::vector<LookupDetail> details_; ///< scratch
    bool jumps_;                        ///< jumps are possible
    bool logs_; ///< the log is wanted, for jumps, kinds of misses or heat maps
};

} // namespace texelscope::sim
