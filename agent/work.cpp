// Runs the jobs of a file that have no result yet. Before each job the log says that it has
// started, so that a job that takes the machine down is not tried again.

#include "agent/work.hpp"

#include "agent/opencl_loader.hpp"
#include "base/error.hpp"
#include "devices/jobs/job_file.hpp"
#include "devices/opencl/opencl_jobs.hpp"
#include "devices/runners/isolated_jobs.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>

namespace texelscope::agent {
namespace {

/// The jobs that have no result yet, one by one, with the rest between two.
class JobsLeft {
public:
    JobsLeft(const WorkOrder& order, const KeptResults& results)
        : order_(order), first_(results.next()), file_(order.jobs_file, std::ios::binary),
          jobs_(file_, order.jobs_file)
    {}

    std::optional<Job> next()
    {
        // Jobs that have a result are read, since they have different lengths, and passed over.
        for (; number_ < first_; ++number_) {
            (void)jobs_.next();
        }
        auto job = jobs_.next();
        if (job && number_++ > 0) {
            rest(order_.cool_down, order_.sysfs);
        }
        return job;
    }

private:
    const WorkOrder& order_;
    std::int64_t first_, number_ = 0;
    std::ifstream file_;
    JobFileReader jobs_;
};

ProcessWithSocket fork_worker(const WorkOrder& order, KeptResults& results)
{
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) != 0) {
        throw missing(std::string("no socket can be made: ") + std::strerror(errno));
    }
    const pid_t process = fork();
    if (process < 0) {
        throw missing(std::string("no process can be started: ") + std::strerror(errno));
    }
    if (process == 0) {
        close(ends[0]);
        results.leave();
        serve(order, ends[1]);
    }
    close(ends[1]);
    return {process, ends[0]};
}

} // namespace

bool work_here(const WorkOrder& order, KeptResults& results)
{
    load_opencl(opencl_places(order.opencl));
    auto device = std::make_unique<OpenClJobs>(order.device, order.sysfs);
    results.opened(device->info());
    for (JobsLeft jobs(order, results); const auto job = jobs.next();) {
        results.started();
        const JobResult result = device->run(*job);
        results.finished(result);
        if (result.status == RunStatus::timed_out) {
            (void)device.release();
            return false;
        }
    }
    return true;
}

void work_isolated(const WorkOrder& order, KeptResults& results)
{
    IsolatedJobs workers([&] { return fork_worker(order, results); });
    results.opened(workers.open());
    for (JobsLeft jobs(order, results); const auto job = jobs.next();) {
        results.opened(workers.open());
        results.started();
        results.finished(workers.run(*job));
    }
}

} // namespace texelscope::agent
