#pragma once

#include "sim/options/options.hpp"
#include "sim/repetition/jumping_simulation.hpp"
#include "sim/repetition/launch_program.hpp"
#include "sim/schedule/warp_dispatch.hpp"
#include "traces/trace_source.hpp"

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

namespace texelscope::sim {

/// One occupancy group of each core that has one left, all of the same number of warps: as the
/// warps of a launch make the same number of accesses, the cores stay in step until all are done,
/// and start the next round together.
struct Round {
    std::vector<int> cores; ///< that take part
    int warps = 0;          ///< of each
    /// [access][warp][core]: the order in which they are simulated.
    std::vector<PlacedAccess> placed;

    /// The accesses of that number.
    [[nodiscard]] std::span<const PlacedAccess> access(int number) const
    {
        const std::size_t count = cores.size() * static_cast<std::size_t>(warps);
        return {placed.data() + static_cast<std::size_t>(number) * count, count};
    }
};

/// What moves one round onto another: a step for each image. Nothing where they differ in more than
/// that. `images`: of each access.
[[nodiscard]] std::optional<std::vector<Texel>> step_between(const Round& from, const Round& to,
                                                             const std::vector<int>& images,
                                                             std::size_t image_count);

/// Deals the work-groups of a launch out to the cores, round by round.
class RoundSource {
public:
    /// For some of the cores of the launch, in ascending order.
    RoundSource(const TraceSource& source, const SimulationOptions& options, LaunchProgram& program,
                std::vector<int> cores);

    /// The next round; nothing at the end, or where the cores fall out of step.
    [[nodiscard]] std::optional<Round> next();

    /// After the end: the warps of each core's next occupancy group where the cores have fallen out
    /// of step, and what is to be dispatched after them.
    struct Remainder {
        std::vector<int> cores;
        std::vector<std::vector<WarpId>> resident; ///< of each of them
        std::vector<WarpDispatch> dispatch;
        std::vector<std::int64_t> occupancy_groups; ///< those of the rounds
    };
    [[nodiscard]] Remainder rest() &&;

private:
    LaunchProgram& program_;
    bool batch_;
    std::size_t occupancy_;
    Remainder rest_;
    bool done_ = false;
};

/// The rounds of a launch that have to be simulated, one by one: where they repeat what was
/// simulated, the simulation passes over them.
class JumpingRounds {
public:
    /// The launch program and the simulation must outlive this.
    JumpingRounds(const LaunchProgram& program, JumpingSimulation& simulation, RoundSource source);

    /// The next round, which is to be simulated before done() is called; nothing at the end, or
    /// where the cores fall out of step.
    std::optional<Round> next();
    void done();

    /// After the end.
    [[nodiscard]] RoundSource::Remainder rest() && { return std::move(source_).rest(); }

private:
    /// Rounds simulated since a checkpoint.
    struct History {
        Checkpoint checkpoint;
        std::vector<Round> rounds;
        std::vector<std::optional<Checkpoint>> ends; ///< of each of them, where it was kept
    };

    [[nodiscard]] bool is_current() const
    {
        return history_ && simulation_.is_current(history_->checkpoint);
    }
    std::optional<Round> take();
    /// Passes over rounds, from `next` on, which it puts back where it is not passed over; whether
    /// there were some.
    bool jump(Round next);
    [[nodiscard]] std::optional<std::vector<Texel>> step_to(const Round& from,
                                                            const Round& to) const
    {
        return step_between(from, to, program_.images(), simulation_.image_count());
    }

    const LaunchProgram& program_;
    JumpingSimulation& simulation_;
    RoundSource source_;
    std::vector<bool> reads_; ///< by image
    Budget budget_;
    std::int64_t done_ = 0; ///< rounds
    std::optional<History> history_;
    std::deque<Round> ahead_; ///< looked at, not done
};

} // namespace texelscope::sim
