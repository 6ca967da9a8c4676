#include "sim/repetition/round_course.hpp"

#include <algorithm>
#include <utility>

namespace texelscope::sim {
namespace {

constexpr std::int64_t most_kept_numbers = 1 << 24;       ///< of the caches at the ends of rounds
constexpr std::size_t most_remembered_accesses = 1 << 22; ///< of the rounds since a mark

} // namespace

RoundCourse::RoundCourse(const LaunchProgram& program, Course& course, RoundSource source)
    : program_(program), course_(course), source_(std::move(source)), reads_(course.image_count(), false)
{
    for (const int image : program.images()) {
        reads_[static_cast<std::size_t>(image)] = true;
    }
    budget_.resume(course.simulated_lookups());
}

std::optional<Round> RoundCourse::take()
{
    if (ahead_.empty()) {
        return source_.next();
    }
    std::optional<Round> round = std::move(ahead_.front());
    ahead_.pop_front();
    return round;
}

bool RoundCourse::jump(Round next)
{
    const std::size_t distance = history_->rounds.size();
    const auto step = step_to(history_->rounds.front(), next);
    const auto shift = step ? course_.shift_of(*step, reads_) : std::nullopt;
    if (!shift || !course_.returned_to(history_->mark, *shift, *step, budget_)) {
        ahead_.push_front(std::move(next));
        return false;
    }
    // How many of the rounds to come are those since the mark, moved? As many repetitions as can move, and part of one.
    const auto most = static_cast<std::size_t>(
        std::min<std::int64_t>(course_.most_repeats(history_->mark, nullptr, *step), std::int64_t{1} << 40));
    std::size_t matched = 0;
    std::vector<Round> unfinished; // those since the last whole repetition
    std::optional<Round> round = std::move(next);
    while (round && matched + 1 < (most + 1) * distance) {
        const auto times = static_cast<std::int64_t>(matched / distance + 1);
        if (step_to(history_->rounds[matched % distance], *round) != multiplied(*step, times)) {
            break;
        }
        unfinished.push_back(std::move(*round));
        if (unfinished.size() == distance) {
            unfinished.clear();
        }
        ++matched;
        round = take();
    }
    if (round) {
        ahead_.push_front(std::move(*round));
    }
    const auto times = static_cast<std::int64_t>(matched / distance);
    const Mark* part = nullptr;
    if (times > 0 && !unfinished.empty()) {
        const std::optional<Mark>& end = history_->ends[unfinished.size() - 1];
        if (course_.is_current(end) && course_.most_repeats(history_->mark, &*end, *step) > times) {
            part = &*end;
        }
    }
    if (part == nullptr) {
        ahead_.insert(ahead_.begin(), std::make_move_iterator(unfinished.begin()),
                      std::make_move_iterator(unfinished.end()));
        matched -= unfinished.size();
    }
    if (times == 0) {
        return false;
    }
    course_.jump(history_->mark, part, *shift, *step, times);
    done_ += static_cast<std::int64_t>(matched);
    return true;
}

std::optional<Round> RoundCourse::next()
{
    std::optional<Round> round = take();
    if (!round || !course_.jumps()) {
        return round;
    }
    budget_.credit(course_.simulated_lookups());
    if (is_current() && !history_->rounds.empty()) {
        if (jump(std::move(*round))) {
            history_.reset();
        }
        round = take();
        if (!round) {
            return round;
        }
    }
    const bool due = !is_current() || done_ >= 2 * history_->mark.iteration ||
                     history_->rounds.size() * round->placed.size() > most_remembered_accesses;
    if (due && course_.affords_mark(budget_)) {
        history_ = History{course_.mark_at(done_, budget_), {}, {}};
    }
    if (is_current()) {
        history_->rounds.push_back(*round);
    }
    return round;
}

void RoundCourse::done()
{
    ++done_;
    if (history_ && history_->ends.size() < history_->rounds.size()) {
        const auto kept = static_cast<std::int64_t>(history_->ends.size() + 1) * course_.snapshot_size();
        const bool keeps = kept <= most_kept_numbers && course_.affords_mark(budget_);
        history_->ends.push_back(keeps ? std::optional(course_.mark_at(done_, budget_)) : std::nullopt);
    }
}

} // namespace texelscope::sim
