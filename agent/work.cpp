#include "agent/work.hpp"

#include "agent/opencl_loader.hpp"
#include "base/error.hpp"
#include "devices/jobs/job_file.hpp"
#include "devices/opencl/opencl_jobs.hpp"

#include <fstream>

namespace texelscope::agent {
namespace {

constexpr double opening_seconds = 60;

} // namespace

void work(const WorkOrder& order, const WorkReport& report)
{
    report.alive(opening_seconds);
    load_opencl(opencl_places());
    const OpenClJobs device(order.device, order.sysfs);
    report.opened(device.info());

    std::ifstream file(order.jobs_file, std::ios::binary);
    if (!file) {
        throw bad_input("cannot be read", order.jobs_file);
    }
    JobFileReader jobs(file, order.jobs_file);
    for (std::int64_t number = 0; const auto job = jobs.next(); ++number) {
        report.alive(opening_seconds);
        if (number < order.first) {
            continue;
        }
        if (number > 0) {
            rest(order.cool_down, order.sysfs, report.alive);
        }
        report.started(number);
        report.finished(number, device.run(*job, report.alive));
    }
}

} // namespace texelscope::agent
