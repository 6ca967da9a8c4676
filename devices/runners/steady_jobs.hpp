#pragma once

#include "devices/runners/job_runner.hpp"

#include <functional>
#include <memory>
#include <vector>

namespace texelscope::devices {

/// Runs jobs by another runner so that they are measured at one clock. Phones change their clocks
/// by load and heat, within a session and without a word: the public logs of an Adreno 740 have two
/// clocks, one three times as fast.
///
/// What goes in: batches of jobs. What comes out: their results with the times of a reference
/// kernel around each sample (JobResult::reference_ns). What always holds: the jobs of one batch,
/// which are compared with each other, ran one after the other.
///
/// A batch is run again, after a pause that lets the device cool down, where the clock changed
/// meanwhile or is below the highest that it had so far; `pauses` says how often, and how long the
/// pauses are. Where the clock does not come back, the best attempt counts and its clock is the one
/// that the next batches are held to. After several batches in a row that had to wait, the device
/// cannot keep its highest clock under this load, and a lower one is taken as it comes; after some
/// that waited in vain for any steady clock, so is one that changes. So who compares results looks
/// at their references (reference_times()). Nothing is run again where a job fails, where runs go
/// on from each other, or on a CPU.
class SteadyJobs : public JobRunner {
public:
    using Pause = std::function<void(double seconds, const StopToken& stop)>;

    /// `pause`: waits so long, and throws Interrupted where `stop` answers true.
    SteadyJobs(std::unique_ptr<JobRunner> runner, WatchedDevices watched,
               std::vector<double> pauses = {1, 4, 12}, Pause pause = wait);

    [[nodiscard]] std::vector<JobResult> run(const std::vector<Job>& jobs,
                                             const StopToken& stop = {}) override;
    [[nodiscard]] bool builds_ahead() const override { return runner_->builds_ahead(); }
    void build_ahead(const std::vector<Job>& jobs) override { runner_->build_ahead(jobs); }
    [[nodiscard]] std::optional<OpenClDeviceInfo> device() const override
    {
        return runner_->device();
    }

    static void wait(double seconds, const StopToken& stop);

private:
    [[nodiscard]] bool is_cpu() const;

    std::unique_ptr<JobRunner> runner_;
    WatchedDevices watched_;
    std::vector<double> pauses_;
    Pause pause_;
    double target_ns_ = 0;     ///< the reference's time at the clock that is held; 0: not known yet
    int waited_in_a_row_ = 0;  ///< batches up to now that were below that clock at first
    int in_vain_in_a_row_ = 0; ///< batches up to now that no pause made steady
};

} // namespace texelscope::devices
