#include "workbench/tuning/trial_log.hpp"

#include "base/random.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace texelscope::workbench::tuning {

TrialLog::TrialLog(std::int64_t size, const TimeOf& time_of, const SearchBudget& budget,
                   const Progress& progress, const StopToken& stop)
    : time_of_(time_of), budget_(budget), progress_(progress), stop_(stop)
{
    budget_.runs = std::min(budget_.runs, size);
}

// The share of the budget that is spent, by trials or by time, whichever is more.
double TrialLog::spent() const
{
    double share = budget_.runs > 0 ? static_cast<double>(result_.trials.size()) /
                                          static_cast<double>(budget_.runs)
                                    : 1;
    if (budget_.seconds) {
        const double seconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
        share = std::max(share, *budget_.seconds > 0 ? seconds / *budget_.seconds : 1);
    }
    return share;
}

bool TrialLog::run(std::int64_t index)
{
    const double share = spent();
    if (progress_) {
        progress_(fmt::format("trial {} of {}", std::ssize(result_.trials) + 1, budget_.runs),
                  std::min(share, 1.0));
    }
    if (stop_ && stop_()) {
        result_.interrupted = true;
    }
    if (share >= 1 || result_.interrupted) {
        return false;
    }
    Trial trial{index, {}};
    try {
        trial.time = time_of_(index);
    } catch (const Interrupted&) {
        result_.interrupted = true;
        return false;
    }
    tried_.insert(index);
    if (trial.time && (!result_.best || *trial.time < *result_.best->time)) {
        result_.best = trial;
    }
    result_.trials.push_back(trial);
    return true;
}

std::optional<std::int64_t> DistinctDraws::next(std::mt19937_64& random)
{
    if (drawn_ == size_) {
        return std::nullopt;
    }
    // The shuffle of Fisher and Yates, of which only the places that differ from their number are
    // kept.
    const auto at = [&](std::int64_t place) {
        const auto found = moved_.find(place);
        return found == moved_.end() ? place : found->second;
    };
    const std::int64_t place = drawn_ + static_cast<std::int64_t>(uniform_below(
                                            random, static_cast<std::uint64_t>(size_ - drawn_)));
    const std::int64_t value = at(place);
    moved_[place] = at(drawn_);
    moved_.erase(drawn_++);
    return value;
}

} // namespace texelscope::workbench::tuning
