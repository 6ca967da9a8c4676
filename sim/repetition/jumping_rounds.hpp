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

/// A round: one occupancy group for each core that has one left, all with the same number of warps.
/// All warps of a launch make the same number of accesses, so the cores stay in step until the
/// round is over, and start the next one together.
struct Round {
    std::vector<int> cores; ///< cores that take part
    int warps = 0;          ///< warps of each core
    /// [access][warp][core], which is the order in which they are simulated.
    std::vector<PlacedAccess> placed;

    /// Where all warps read in access `number` of the program: [warp][core].
    [[nodiscard]] std::span<const PlacedAccess> access(int number) const
    {
        const std::size_t count = cores.size() * static_cast<std::size_t>(warps);
        return {placed.data() + static_cast<std::size_t>(number) * count, count};
    }
};

/// The step of each image, in texels, that moves one round onto another; nullopt where the rounds
/// differ in more than such steps. `images`: by access, the image that it reads.
[[nodiscard]] std::optional<std::vector<Texel>> step_between(const Round& from, const Round& to,
                                                             const std::vector<int>& images,
                                                             std::size_t image_count);

/// Hands the work-groups of a launch out to the cores, round by round.
class RoundSource {
public:
    /// `cores`: the cores of the launch to which work-groups go, in ascending order.
    RoundSource(const TraceSource& source, const SimulationOptions& options, LaunchProgram& program,
                std::vector<int> cores);

    /// The next round; nullopt at the end of the launch, and where the cores fall out of step
    /// because their next occupancy groups differ in the number of warps.
    [[nodiscard]] std::optional<Round> next();

    /// What is left to do after next() has returned nullopt. All vectors are by place in `cores`.
    struct Remainder {
        std::vector<int> cores;
        /// Warps of the next occupancy group; empty where the core is done.
        std::vector<std::vector<WarpId>> resident;
        std::vector<WarpDispatch> dispatch;         ///< the warps after these
        std::vector<std::int64_t> occupancy_groups; ///< number of those in the rounds
    };
    [[nodiscard]] Remainder rest() &&;

private:
    LaunchProgram& program_;
    bool batch_;
    std::size_t occupancy_;
    Remainder rest_;
    bool done_ = false;
};

/// The rounds of a launch that have to be simulated, one by one. It jumps over rounds that repeat
/// what was simulated. The caller alternates next(), the simulation of that round, and done().
class JumpingRounds {
public:
    /// The launch program and the simulation must outlive this.
    JumpingRounds(const LaunchProgram& program, JumpingSimulation& simulation, RoundSource source);

    /// The next round to simulate; nullopt as RoundSource::next().
    std::optional<Round> next();
    /// Tells that the round that next() returned has been simulated.
    void done();

    /// What is left to do after next() has returned nullopt.
    [[nodiscard]] RoundSource::Remainder rest() && { return std::move(source_).rest(); }

private:
    /// The rounds that were simulated since a checkpoint.
    struct History {
        Checkpoint checkpoint;
        std::vector<Round> rounds;
        /// By round: the state at its end; nullopt where it was not kept.
        std::vector<std::optional<Checkpoint>> ends;
    };

    /// Whether there is a history that can be repeated.
    [[nodiscard]] bool is_current() const
    {
        return history_ && simulation_.is_current(history_->checkpoint);
    }
    /// The next round of those looked at ahead, or else of the source.
    std::optional<Round> take();
    /// Jumps over the rounds from `next` on that repeat the history, and returns whether there were
    /// any. Rounds that were looked at but not jumped over go back to ahead_.
    bool jump(Round next);
    [[nodiscard]] std::optional<std::vector<Texel>> step_to(const Round& from,
                                                            const Round& to) const
    {
        return step_between(from, to, program_.images(), simulation_.image_count());
    }

    const LaunchProgram& program_;
    JumpingSimulation& simulation_;
    RoundSource source_;
    std::vector<bool> reads_; ///< by image: whether the launch reads it
    Budget budget_;
    std::int64_t done_ = 0; ///< number of rounds that are simulated or jumped over
    std::optional<History> history_;
    std::deque<Round> ahead_; ///< rounds that were looked at, but are still to be done
};

} // namespace texelscope::sim
