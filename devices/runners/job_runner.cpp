#include "devices/runners/job_runner.hpp"

#include "base/error.hpp"
#include "devices/opencl/opencl_jobs.hpp"
#include "devices/runners/agent_runner.hpp"

#include <algorithm>
#include <utility>

namespace texelscope::devices {
namespace {

/// Runs jobs in this process, as long as none hangs. A launch cannot be recalled, and it keeps its queue busy: after one that
/// took too long, an agent on this machine, which has the device opened anew, runs the rest.
class InProcessRunner : public JobRunner {
public:
    InProcessRunner(const JobPlace& place, const JobRunnerOptions& options)
        : place_(place), options_(options), jobs_(std::make_unique<OpenClJobs>(place.device)), device_(jobs_->info())
    {}

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
            if (agent_) {
                results.push_back(std::move(agent_->run({job}, stop).front()));
                continue;
            }
            if (!results.empty()) {
                rest(options_.cool_down);
            }
            results.push_back(jobs_->run(job, ask));
            if (results.back().status == JobResult::Status::timed_out) {
                give_up();
            }
        }
        return results;
    }

    [[nodiscard]] std::optional<OpenClDeviceInfo> device() const override { return device_; }

private:
    void give_up()
    {
        try {
            agent_ = make_agent_runner({JobPlace::Kind::agent, {}, place_.device}, options_);
        } catch (const Error&) {
            return; // no agent's program: the device is of use again once the launch has ended
        }
        (void)jobs_.release(); // closing it would wait for the launch
    }

    JobPlace place_;
    JobRunnerOptions options_;
    std::unique_ptr<OpenClJobs> jobs_;
    OpenClDeviceInfo device_;
    std::unique_ptr<JobRunner> agent_; ///< where a launch in this process hangs
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
        return std::make_unique<InProcessRunner>(place, options);
    }
    return make_agent_runner(place, options);
}

} // namespace texelscope::devices
