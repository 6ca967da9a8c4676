#pragma once

#include "devices/jobs/job.hpp"
#include "devices/jobs/opencl_device_info.hpp"
#include "devices/runners/job_runner.hpp"
#include "devices/targets/target.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace texelscope::devices {

/// The TargetInfo of an OpenCL device.
[[nodiscard]] TargetInfo target_info(const OpenClDeviceInfo& device);

/// A real OpenCL device as a target. Every measurement is a kernel written for it and run as a job,
/// on this machine or on another. Times come from event profiling, or from the wall clock where the
/// events' times are impossible. For copies and launch_overhead() they are what the host waits.
class JobTarget : public Target {
public:
    using RunJobs = std::function<std::vector<JobResult>(const std::vector<Job>&)>;

    /// `run` runs jobs on the device and returns one result for each, in order.
    JobTarget(TargetInfo info, RunJobs run);

    [[nodiscard]] const TargetInfo& info() const override { return info_; }
    [[nodiscard]] std::vector<double> chase(const Chase& chase, int samples) override;
    [[nodiscard]] std::vector<double> walk(const Walk& walk, int samples) override;
    [[nodiscard]] std::vector<double> run(const ReadKernel& kernel, int samples) override;
    [[nodiscard]] std::vector<double> run(const Arithmetic& kernel, int samples) override;
    [[nodiscard]] std::vector<double> run(const Stream& stream, int samples) override;
    [[nodiscard]] std::vector<double> run(const StorePattern& pattern, int samples) override;
    [[nodiscard]] std::vector<std::int32_t> arrival_order(const Dim3& local) override;
    [[nodiscard]] std::vector<double> copy(const Transfer& transfer, int samples) override;
    [[nodiscard]] std::vector<double> launch_overhead(int samples) override;
    [[nodiscard]] Conditions conditions() override;

private:
    /// Runs the jobs. Throws missing where one did not finish.
    [[nodiscard]] std::vector<JobResult> results_of(std::vector<Job> jobs) const;
    [[nodiscard]] std::vector<double> long_chase(const Chase& chase) const;

    TargetInfo info_;
    RunJobs run_;
};

/// The real device that `on` names, in the syntax of parse_job_place(). Throws as that and
/// make_job_runner() do, and missing where there is no such device. Measurements of the target
/// throw Interrupted when `stop` answers true.
[[nodiscard]] std::unique_ptr<Target>
open_target(const std::string& on, const JobRunnerOptions& how, const StopToken& stop);

} // namespace texelscope::devices
