#include "devices/runners/job_runner.hpp"

#include "base/error.hpp"
#include "devices/opencl/opencl_jobs.hpp"
#include "devices/runners/agent_runner.hpp"

#include <algorithm>

namespace texelscope::devices {
namespace {

class InProcessRunner : public JobRunner {
public:
    InProcessRunner(const std::string& selector, CoolDown cool_down) : jobs_(selector), cool_down_(cool_down) {}

    [[nodiscard]] std::vector<JobResult> run(const std::vector<Job>& jobs, const StopToken& stop) override
    {
        std::for_each(jobs.begin(), jobs.end(), check_job);
        const JobProgress ask = [&](double /*seconds*/) {
            if (stop && stop()) {
                throw Interrupted{};
            }
        };
        std::vector<JobResult> results;
        for (const Job& job : jobs) {
            if (!results.empty()) {
                rest(cool_down_);
            }
            results.push_back(jobs_.run(job, ask));
        }
        return results;
    }

    [[nodiscard]] std::optional<OpenClDeviceInfo> device() const override { return jobs_.info(); }

private:
    OpenClJobs jobs_;
    CoolDown cool_down_;
};

} // namespace

OpenClDeviceInfo device_of(JobRunner& runner)
{
    if (!runner.device()) {
        Job job;
        job.name = "empty";
        job.source = "kernel void empty() {}";
        job.kernel = "empty";
        (void)runner.run({job});
    }
    const auto device = runner.device();
    if (!device) {
        throw missing("the agent does not tell what device it has");
    }
    return *device;
}

std::unique_ptr<JobRunner> make_job_runner(const JobPlace& place, const JobRunnerOptions& options)
{
    if (place.kind == JobPlace::Kind::here) {
        return std::make_unique<InProcessRunner>(place.device, options.cool_down);
    }
    return make_agent_runner(place, options);
}

} // namespace texelscope::devices
