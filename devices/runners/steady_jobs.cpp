#include "devices/runners/steady_jobs.hpp"

#include "devices/jobs/reference_times.hpp"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

namespace texelscope::devices {
namespace {

bool is_independent(const Job& job)
{
    return job.work == JobWork::launch && job.feeds.empty() && job.swaps.empty() &&
           job.fetches.empty();
}

/// The clock of a batch: the fastest and the slowest reference of its jobs.
struct BatchClock {
    double fastest_ns = 0, slowest_ns = 0; ///< 0: no job has one
    bool steady = true;
};

BatchClock clock_of(const std::vector<JobResult>& results)
{
    BatchClock clock;
    for (const JobResult& result : results) {
        const ReferenceTimes times = reference_times(result.reference_ns);
        if (!times.told()) {
            continue;
        }
        clock.fastest_ns =
            clock.fastest_ns == 0 ? times.median_ns : std::min(clock.fastest_ns, times.median_ns);
        clock.slowest_ns = std::max(clock.slowest_ns, times.median_ns);
        clock.steady = clock.steady && times.steady();
    }
    clock.steady = clock.steady && clock.slowest_ns <= clock.fastest_ns * ReferenceTimes::one_clock;
    return clock;
}

/// After so many batches in a row that had to wait, none waits for a higher clock.
constexpr int most_in_a_row = 4;
/// After so many in a row of which no attempt was steady, none is tried again.
constexpr int most_in_vain = 2;

/// Whether the first attempt is the better one: a steady clock before a higher one.
bool better(const BatchClock& a, const BatchClock& b)
{
    return a.steady != b.steady ? a.steady : a.slowest_ns < b.slowest_ns;
}

} // namespace

SteadyJobs::SteadyJobs(std::unique_ptr<JobRunner> runner, WatchedDevices watched,
                       std::vector<double> pauses, Pause pause)
    : runner_(std::move(runner)), watched_(watched), pauses_(std::move(pauses)),
      pause_(std::move(pause))
{}

bool SteadyJobs::is_cpu() const
{
    const auto known = device();
    return known && known->cpu;
}

std::vector<JobResult> SteadyJobs::run(const std::vector<Job>& jobs, const StopToken& stop)
{
    if (watched_ == WatchedDevices::none || (watched_ == WatchedDevices::gpus && is_cpu()) ||
        !std::all_of(jobs.begin(), jobs.end(), is_independent)) {
        return runner_->run(jobs, stop);
    }
    std::vector<Job> watched = jobs;
    for (Job& job : watched) {
        job.reference = true;
    }
    std::vector<JobResult> best;
    BatchClock best_clock;
    for (std::size_t attempt = 0; attempt <= pauses_.size(); ++attempt) {
        if (attempt > 0) {
            pause_(pauses_[attempt - 1], stop);
        }
        std::vector<JobResult> results = runner_->run(watched, stop);
        const bool failed = std::any_of(results.begin(), results.end(), [](const JobResult& each) {
            return each.status != RunStatus::ok;
        });
        const BatchClock clock = clock_of(results);
        // An agent tells what its device is only after the first batch.
        if (failed || clock.slowest_ns == 0 || is_cpu()) {
            return results;
        }
        target_ns_ = target_ns_ == 0 ? clock.fastest_ns : std::min(target_ns_, clock.fastest_ns);
        if (attempt == 0 || better(clock, best_clock)) {
            best = std::move(results);
            best_clock = clock;
        }
        const bool held = clock.slowest_ns <= target_ns_ * ReferenceTimes::one_clock;
        if (attempt == 0) {
            waited_in_a_row_ = held ? 0 : waited_in_a_row_ + 1;
        }
        if (clock.steady && (held || waited_in_a_row_ > most_in_a_row)) {
            in_vain_in_a_row_ = 0;
            return best;
        }
        if (in_vain_in_a_row_ >= most_in_vain) {
            return best;
        }
    }
    in_vain_in_a_row_ = best_clock.steady ? 0 : in_vain_in_a_row_ + 1;
    target_ns_ = best_clock.slowest_ns;
    return best;
}

void SteadyJobs::wait(double seconds, const StopToken& stop)
{
    using Clock = std::chrono::steady_clock;
    constexpr std::chrono::duration<double> nap(0.1);
    const auto end = Clock::now() + std::chrono::duration<double>(seconds);
    for (auto now = Clock::now(); now < end; now = Clock::now()) {
        if (stop && stop()) {
            throw Interrupted{};
        }
        std::this_thread::sleep_for(std::min(nap, std::chrono::duration<double>(end - now)));
    }
}

} // namespace texelscope::devices
