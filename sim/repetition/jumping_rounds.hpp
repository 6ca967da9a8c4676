#pragma once

#include "sim/repetition/jumping_simulation.hpp"
#include "sim/repetition/rounds.hpp"

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace texelscope::sim {

/// The rounds of a launch that have to be simulated, one by one: where they repeat what was simulated, the simulation passes
/// over them.
class JumpingRounds {
public:
    /// The launch program and the simulation must outlive this.
    JumpingRounds(const LaunchProgram& program, JumpingSimulation& simulation, RoundSource source);

    /// The next round, which is to be simulated before done() is called; nothing at the end, or where the cores fall out
    /// of step.
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

    [[nodiscard]] bool is_current() const { return history_ && simulation_.is_current(history_->checkpoint); }
    std::optional<Round> take();
    /// Passes over rounds, from `next` on, which it puts back where it is not passed over; whether there were some.
    bool jump(Round next);
    [[nodiscard]] std::optional<std::vector<Texel>> step_to(const Round& from, const Round& to) const
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
