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

/// What a target has to tell of an OpenCL device.
[[nodiscard]] TargetInfo target_info(const OpenClDeviceInfo& device);

/// A real OpenCL device as a target: every measurement is a kernel that is written for it and run
/// as a job, here or on another machine. Times are those of event profiling, or the wall clock's
/// where these cannot be; of copies and launch_overhead() what the host waits.
class JobTarget : public Target {
public:
    using RunJobs = std::function<std::vector<JobResult>(const std::vector<Job>&)>;

    /// `run` gives one result for each job, in order.
    JobTarget(TargetInfo info, RunJobs run);

    [[nodiscard]] const TargetInfo& info() const override { return info_; }
    [[nodiscard]] std::vector<double> chase(const Chase& chase, int samples) override;
    [[nodiscard]] std::vector<double> walk(const Walk& walk, int samples) override;
    [[nodiscard]] std::vector<double> run(const ReadKernel& kernel, int samples) override;
    [[nodiscard]] std::vector<double> run(const Arithmetic& kernel, int samples) override;
    [[nodiscard]] std::vector<double> run(const Stream& stream, int samples) override;
    [[nodiscard]] std::vector<std::int32_t> arrival_order(const Dim3& local) override;
    [[nodiscard]] std::vector<double> copy(const Transfer& transfer, int samples) override;
    [[nodiscard]] std::vector<double> launch_overhead(int samples) override;
    [[nodiscard]] Conditions conditions() override;

private:
    /// Throws missing where a job did not come to its end.
    [[nodiscard]] std::vector<JobResult> results_of(std::vector<Job> jobs) const;
    [[nodiscard]] std::vector<double> long_chase(const Chase& chase) const;

    TargetInfo info_;
    RunJobs run_;
};

/// A real device that `on` names, as parse_job_place() takes it. Throws as that and
/// make_job_runner() do, missing where there is no such device. What the target does throws
/// Interrupted where `stop` answers true.
[[nodiscard]] std::unique_ptr<Target>
open_target(const std::string& on, const JobRunnerOptions& how, const StopToken& stop);

} // namespace texelscope::devices
