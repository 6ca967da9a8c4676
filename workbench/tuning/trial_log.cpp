#include "workbench/tuning/trial_log.hpp"

#include "base/parallel.hpp"
#include "base/random.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <thread>

namespace texelscope::workbench::tuning {

TrialLog::TrialLog(std::int64_t size, TimesOf times_of, const SearchBudget& budget,
                   const Progress& progress, const StopToken& stop)
    : times_of_(std::move(times_of)), budget_(budget), progress_(progress), stop_(stop)
{
    budget_.runs = std::min(budget_.runs, size);
}

double TrialLog::seconds() const
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

bool TrialLog::in_time() const
{
    return !budget_.seconds || seconds() < *budget_.seconds;
}

// The share of the budget that is spent, by trials or by time, whichever is more.
void TrialLog::tell_progress(std::int64_t done) const
{
    if (!progress_) {
        return;
    }
    double share =
        static_cast<double>(done) / static_cast<double>(std::max<std::int64_t>(budget_.runs, 1));
    if (budget_.seconds && *budget_.seconds > 0) {
        share = std::max(share, seconds() / *budget_.seconds);
    }
    progress_(fmt::format("trial {} of {}", done + 1, budget_.runs), std::min(share, 1.0));
}

std::vector<std::optional<Trial>> TrialLog::judged(std::span<const std::int64_t> indices)
{
    std::vector<std::optional<Trial>> done(indices.size());
    const std::int64_t before = std::ssize(result_.trials);
    std::atomic<std::int64_t> finished{before};
    const std::thread::id caller = std::this_thread::get_id();
    try {
        if (times_of_.together) {
            check_stop(stop_);
            tell_progress(before);
            if (in_time()) {
                const auto times = times_of_.together(indices);
                for (std::size_t i = 0; i < indices.size(); ++i) {
                    done[i] = Trial{indices[i], times[i]};
                }
            }
            return done;
        }
        parallel_for(
            indices.size(), budget_.threads,
            [&](std::size_t i) {
                if (std::this_thread::get_id() == caller) {
                    tell_progress(finished);
                }
                if (in_time()) {
                    done[i] = Trial{indices[i], times_of_.one(indices[i])};
                    ++finished;
                }
            },
            stop_);
    } catch (const Interrupted&) {
        result_.interrupted = true;
    }
    return done;
}

bool TrialLog::run(std::span<const std::int64_t> indices, std::span<const std::int64_t> later)
{
    const std::int64_t before = std::ssize(result_.trials);
    const auto room = static_cast<std::size_t>(std::max<std::int64_t>(budget_.runs - before, 0));
    const std::span<const std::int64_t> all = indices.first(std::min(indices.size(), room));
    const bool in_batches = times_of_.together || times_of_.ahead;
    const std::size_t at_once = in_batches ? search_batch : std::max<std::size_t>(all.size(), 1);
    for (std::size_t first = 0; first < all.size() && !result_.interrupted; first += at_once) {
        const auto batch = all.subspan(first, std::min(at_once, all.size() - first));
        if (times_of_.ahead) {
            std::vector<std::int64_t> next(all.begin() + static_cast<std::ptrdiff_t>(first),
                                           all.end());
            next.insert(next.end(), later.begin(), later.end());
            next.resize(std::min(next.size(), 2 * search_batch));
            times_of_.ahead(next);
        }
        for (const std::optional<Trial>& trial : judged(batch)) {
            if (!trial) {
                continue;
            }
            tried_.insert(trial->index);
            if (trial->time && (!result_.best || *trial->time < *result_.best->time)) {
                result_.best = trial;
            }
            result_.trials.push_back(*trial);
        }
    }
    return std::ssize(result_.trials) - before == std::ssize(indices);
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
