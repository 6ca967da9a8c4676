#pragma once

#include "devices/jobs/job.hpp"
#include "devices/jobs/opencl_device_info.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace texelscope::devices {

/// Called before each step of a job with the seconds that it may take at most by what is known
/// (building: a minute).
using JobProgress = std::function<void(double seconds)>;

/// Runs jobs on an OpenCL device of this machine, in this process: one context and queue for all.
class OpenClJobs {
public:
    /// Opens preferred_device(opencl_devices(), selector). Throws missing where nothing fits or it
    /// cannot be opened. `sysfs`: where clocks and temperatures are read.
    explicit OpenClJobs(const std::string& selector, const std::string& sysfs = "/sys");
    ~OpenClJobs();
    OpenClJobs(OpenClJobs&&) noexcept;
    OpenClJobs& operator=(OpenClJobs&&) noexcept;

    [[nodiscard]] const OpenClDeviceInfo& info() const;

    /// Builds, launches, times and reads back. Throws bad_input where check_job() does; whatever
    /// the device makes of the job is the result's status. A crash of the driver takes this process
    /// with it: a worker calls this (devices/runners). A launch that took too long cannot be
    /// recalled: further jobs fail until it has ended, and closing the device waits for it. While
    /// it waits it looks again and again, on a device that is no CPU without a pause for some
    /// milliseconds, then with naps of 1/64 of what has passed: JobResult::enqueue_ns is too long
    /// by no more than that and what the system adds to a nap.
    [[nodiscard]] JobResult run(const Job& job, const JobProgress& progress = {}) const;
    /// Each job, in order.
    [[nodiscard]] std::vector<JobResult> run(const std::vector<Job>& jobs) const;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace texelscope::devices
