#pragma once

#include "sim/repetition/course.hpp"
#include "sim/repetition/rounds.hpp"

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace texelscope::sim {

/// The rounds of a launch that have to be simulated, one by one: where they repeat what was simulated, the course passes
/// over them.
class RoundCourse {
public:
    /// The launch program and the course must outlive this.
    RoundCourse(const LaunchProgram& program, Course& course, RoundSource source);

    /// The next round, which is to be simulated before done() is called; nothing at the end, or where the cores fall out
    /// of step.
    std::optional<Round> next();
    void done();

    /// After the end.
    [[nodiscard]] RoundSource::Rest rest() && { return std::move(source_).rest(); }

private:
    /// Rounds simulated since a mark.
    struct History {
        Mark mark;
        std::vector<Round> rounds;
        std::vector<std::optional<Mark>> ends; ///< of each of them, where it was kept
    };

    [[nodiscard]] bool is_current() const { return history_ && course_.is_current(history_->mark); }
    std::optional<Round> take();
    /// Passes over rounds, from `next` on, which it puts back where it is not passed over; whether there were some.
    bool jump(Round next);
    [[nodiscard]] std::optional<std::vector<Texel>> step_to(const Round& from, const Round& to) const
    {
        return step_between(from, to, program_.images(), course_.image_count());
    }

    const LaunchProgram& program_;
    Course& course_;
    RoundSource source_;
    std::vector<bool> reads_; ///< by image
    Budget budget_;
    std::int64_t done_ = 0; ///< rounds
    std::optional<History> history_;
    std::deque<Round> ahead_; ///< looked at, not done
};

} // namespace texelscope::sim
