#include "cli/target_place.hpp"

#include "devices/job_place.hpp"
#include "devices/job_target.hpp"
#include "devices/opencl_jobs.hpp"
#include "traces/error.hpp"

#include <string_view>
#include <vector>

namespace texelscope::cli {

std::optional<std::string> simulated_profile(const std::string& on)
{
    constexpr std::string_view simulated = "sim:";
    return on.starts_with(simulated) ? std::optional(on.substr(simulated.size())) : std::nullopt;
}

std::unique_ptr<Target> open_target(const std::string& selector)
{
    const auto jobs = std::make_shared<const OpenClJobs>(selector);
    return std::make_unique<JobTarget>(target_info(jobs->info()),
                                       [jobs](const std::vector<Job>& batch) { return jobs->run(batch); });
}

void require_here(const std::string& on)
{
    if (parse_job_place(on).kind != JobPlace::Kind::here) {
        throw bad_input("this measures simulated devices and OpenCL devices of this machine", "--on " + on,
                        "run texelscope there");
    }
}

} // namespace texelscope::cli
