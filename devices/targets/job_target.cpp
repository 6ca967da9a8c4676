// Measures on a real device. Most measurements are the difference of two launches, so that what
// every launch takes to start drops out; both go in one batch, and so on the same device in the
// same state.

#include "devices/targets/job_target.hpp"

#include "base/averages.hpp"
#include "base/error.hpp"
#include "devices/targets/listed_walk.hpp"
#include "devices/targets/probe_kernels.hpp"
#include "devices/targets/store_kernel.hpp"
#include "devices/targets/stream_kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

namespace texelscope::devices {
namespace {

Job with_samples(Job job, int samples)
{
    job.warm_up = 2; // clocks rise, and the text is compiled for good
    job.samples = samples;
    return job;
}

/// Nanoseconds of each of `reads`, from those of launches that take `start` for something else.
std::vector<double> per_read(std::vector<double> launches, double start, std::int64_t reads)
{
    for (double& ns : launches) {
        ns = std::max(1e-3, (ns - start) / static_cast<double>(reads));
    }
    return launches;
}

} // namespace

TargetInfo target_info(const OpenClDeviceInfo& device)
{
    TargetInfo info;
    info.name = device.name;
    info.driver = device.driver;
    info.cpu = device.cpu;
    info.compute_units = device.compute_units;
    info.max_work_group = device.max_work_group;
    const auto side = [](std::int64_t texels) {
        return static_cast<std::int32_t>(
            std::min<std::int64_t>(texels, std::numeric_limits<std::int32_t>::max()));
    };
    info.largest_image = {side(device.image_width), side(device.image_height)};
    info.local_memory = device.local_memory;
    info.largest_allocation = device.largest_allocation;
    info.clock_mhz = device.clock_mhz;
    return info;
}

JobTarget::JobTarget(TargetInfo info, RunJobs run) : info_(std::move(info)), run_(std::move(run)) {}

std::vector<JobResult> JobTarget::results_of(std::vector<Job> jobs) const
{
    std::vector<JobResult> results = run_(jobs);
    for (const JobResult& result : results) {
        if (result.status != RunStatus::ok) {
            throw missing(fmt::format("{}: {}", run_word(result.status), result.reason),
                          info_.name);
        }
    }
    // One is subtracted from another: all of them by the same clock.
    if (std::any_of(results.begin(), results.end(),
                    [](const JobResult& result) { return result.wall_clock; })) {
        for (JobResult& result : results) {
            result.kernel_ns = result.enqueue_ns;
        }
    }
    return results;
}

std::vector<double> JobTarget::chase(const Chase& chase, int samples)
{
    // A very long walk is timed as a whole: the start of a launch does not matter beside it. A
    // launch before it has the second level warm, which is what matters; L1 holds little of such a
    // walk.
    constexpr std::int64_t long_walk = std::int64_t{1} << 16;
    const auto length = static_cast<std::int64_t>(chase.walk.size());
    if (chase.warm_passes > 0 && length >= long_walk && chase.route == Route::in_texels) {
        return long_chase(chase);
    }
    // Otherwise the time is the difference of two launches, in which what both of them start with
    // drops out. Without warm passes the shorter launch reads one texel.
    const std::int64_t shorter = chase.warm_passes > 0 ? chase.warm_passes * length : 1;
    const std::int64_t longer = (chase.warm_passes + chase.passes) * length;
    // One sample of a long chase is a mean over as many reads as several of a short one.
    constexpr std::int64_t enough_reads = std::int64_t{1} << 21;
    const auto needed =
        static_cast<int>(std::clamp<std::int64_t>(enough_reads / longer, 3, samples));
    const auto job = [&](std::int64_t reads) {
        return with_samples(chase.route == Route::listed
                                ? listed_walk_job(chase.extent, chase.walk, reads, WalkPlace::moved)
                                : chase_job(chase, reads),
                            needed);
    };
    std::vector<Job> jobs; // large ones: moved, not copied
    jobs.push_back(job(shorter));
    jobs.push_back(job(longer));
    const auto results = results_of(std::move(jobs));
    return per_read(results[1].kernel_ns, median(results[0].kernel_ns),
                    std::max<std::int64_t>(1, longer - shorter));
}

std::vector<double> JobTarget::long_chase(const Chase& chase) const
{
    const std::int64_t reads = std::ssize(chase.walk) * chase.passes;
    Job job = chase_job(chase, reads);
    job.warm_up = chase.warm_passes;
    // each sample is a mean over very many
    constexpr std::int64_t enough_reads = std::int64_t{1} << 22;
    job.samples = static_cast<int>(std::clamp<std::int64_t>(enough_reads / reads, 1, 3));
    std::vector<Job> jobs;
    jobs.push_back(std::move(job));
    return per_read(results_of(std::move(jobs)).front().kernel_ns, 0, reads);
}

std::vector<double> JobTarget::walk(const Walk& walk, int samples)
{
    if (std::ssize(walk.texels) > most_listed_texels) {
        throw missing(fmt::format("a walk of {} reads, of which a list holds {}",
                                  walk.texels.size(), most_listed_texels),
                      info_.name);
    }
    // The difference of two launches: one reads nothing.
    const auto length = static_cast<std::int64_t>(walk.texels.size());
    const auto job = [&](std::int64_t reads) {
        return with_samples(listed_walk_job(walk.extent, walk.texels, reads, WalkPlace::same),
                            samples);
    };
    const auto results = results_of({job(0), job(length)});
    return per_read(results[1].kernel_ns, median(results[0].kernel_ns), length);
}

std::vector<double> JobTarget::run(const ReadKernel& kernel, int samples)
{
    return results_of({with_samples(read_job(kernel), samples)}).front().kernel_ns;
}

std::vector<double> JobTarget::run(const Arithmetic& kernel, int samples)
{
    return results_of({with_samples(arithmetic_job(kernel), samples)}).front().kernel_ns;
}

std::vector<double> JobTarget::run(const Stream& stream, int samples)
{
    return results_of({with_samples(stream_job(stream), samples)}).front().kernel_ns;
}

std::vector<double> JobTarget::run(const StorePattern& pattern, int samples)
{
    return results_of({with_samples(store_job(pattern), samples)}).front().kernel_ns;
}

std::vector<std::int32_t> JobTarget::arrival_order(const Dim3& local)
{
    const std::vector<std::byte> bytes =
        results_of({with_samples(arrival_job(local), 1)}).front().outputs.at(0);
    std::vector<std::int32_t> order(bytes.size() / sizeof(std::int32_t));
    std::memcpy(order.data(), bytes.data(), order.size() * sizeof(std::int32_t));
    return order;
}

std::vector<double> JobTarget::copy(const Transfer& transfer, int samples)
{
    // The wall clock, as the host pays for more than what the device's clock sees.
    return results_of({with_samples(copy_job(transfer), samples)}).front().enqueue_ns;
}

std::vector<double> JobTarget::launch_overhead(int samples)
{
    return results_of({with_samples(empty_job(), samples)}).front().enqueue_ns;
}

Conditions JobTarget::conditions()
{
    return results_of({empty_job()}).front().before; // a job reads them on its device's machine
}

std::unique_ptr<Target> open_target(const std::string& on, const JobRunnerOptions& how,
                                    const StopToken& stop)
{
    const std::shared_ptr<JobRunner> runner = make_job_runner(parse_job_place(on), how);
    return std::make_unique<JobTarget>(
        target_info(device_of(*runner)),
        [runner, stop](const std::vector<Job>& batch) { return runner->run(batch, stop); });
}

} // namespace texelscope::devices
