#include "devices/opencl_jobs.hpp"

#include "devices/conditions.hpp"
#include "devices/job_limits.hpp"
#include "devices/job_memory.hpp"
#include "devices/opencl_api.hpp"
#include "traces/error.hpp"

#include <algorithm>
#include <chrono>
#include <new>
#include <thread>
#include <utility>

namespace texelscope {
namespace {

using Clock = std::chrono::steady_clock;
using Status = JobResult::Status;

/// A job that came to an end other than its own; Impl::run makes it the result.
struct Ended {
    Status status;
    std::string reason;
};

struct LaunchTime {
    double kernel_ns;  ///< on the device
    double enqueue_ns; ///< wall clock
};

double seconds_since(Clock::time_point start)
{
    return std::chrono::duration<double>(Clock::now() - start).count();
}

/// The device says with this error that the launch is beyond it, rather than that something is wrong.
bool is_limit(cl_int error)
{
    return error == CL_INVALID_WORK_GROUP_SIZE || error == CL_INVALID_WORK_ITEM_SIZE ||
           error == CL_INVALID_IMAGE_SIZE || error == CL_IMAGE_FORMAT_NOT_SUPPORTED ||
           error == CL_INVALID_BUFFER_SIZE || error == CL_MEM_OBJECT_ALLOCATION_FAILURE;
}

std::string first_line_with_error(const std::string& log)
{
    const std::size_t error = log.find("error");
    const std::size_t at = error == std::string::npos ? 0 : error;
    const std::size_t before = log.rfind('\n', at);
    const std::size_t start = before == std::string::npos ? 0 : before + 1;
    return log.substr(start, log.find('\n', at) - start);
}

cl::NDRange range_of(const std::array<std::int64_t, 3>& sizes)
{
    return {static_cast<std::size_t>(sizes[0]), static_cast<std::size_t>(sizes[1]), static_cast<std::size_t>(sizes[2])};
}

/// Waits; false: it took too long. `spare_cores`: with naps from the beginning, as the device computes on the cores that
/// looking would take; else it looks all the time until a nap would not matter.
bool wait_for(const cl::Event& event, Clock::time_point start, double timeout_seconds, bool spare_cores)
{
    constexpr double part_of_elapsed = 1.0 / 64, shortest_nap = 1e-4, longest_nap = 5e-4;
    while (true) {
        const cl_int status = event.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>();
        if (status == CL_COMPLETE) {
            return true;
        }
        if (status < 0) {
            throw cl::Error(status, "execution of the kernel");
        }
        const double elapsed = seconds_since(start);
        if (elapsed > timeout_seconds) {
            return false;
        }
        const double nap = std::min(elapsed * part_of_elapsed, longest_nap);
        if (spare_cores || nap >= shortest_nap) {
            std::this_thread::sleep_for(std::chrono::duration<double>(nap));
        }
    }
}

} // namespace

class OpenClJobs::Impl {
public:
    Impl(FoundDevice found, std::string sysfs)
        : sysfs_(std::move(sysfs)), info_(std::move(found.info)), device_(std::move(found.device)), context_(device_),
          queue_(context_, device_, CL_QUEUE_PROFILING_ENABLE)
    {}
    /// A driver does not survive being unloaded under a launch: wait for it.
    ~Impl()
    {
        try {
            queue_.finish();
        } catch (const cl::Error&) { // the launch ended in an error, which its own job has reported
        }
    }
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

    [[nodiscard]] const OpenClDeviceInfo& info() const { return info_; }

    [[nodiscard]] JobResult run(const Job& job, const JobProgress& progress) const
    {
        check_job(job);
        JobResult result;
        try {
            if (stuck_() != nullptr && stuck_.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() > CL_COMPLETE) {
                throw Ended{Status::failed, "an earlier launch that took too long still runs"};
            }
            if (auto reason = beyond_limits(info_, job)) {
                throw Ended{Status::unsupported, std::move(*reason)};
            }
            check_memory(job);
            launch(job, progress, result);
        } catch (const cl::Error& error) {
            result.status = is_limit(error.err()) ? Status::unsupported : Status::failed;
            result.reason = describe(error);
        } catch (const Ended& ended) {
            result.status = ended.status;
            result.reason = ended.reason;
        } catch (const std::bad_alloc&) {
            result.status = Status::unsupported;
            result.reason = "the machine has too little memory";
        }
        if (result.status != Status::ok) {
            result.outputs.clear();
        }
        return result;
    }

private:
    static void tell(const JobProgress& progress, double seconds)
    {
        if (progress) {
            progress(seconds);
        }
    }

    void check_memory(const Job& job) const
    {
        const auto most = device_.getInfo<CL_DEVICE_MAX_MEM_ALLOC_SIZE>();
        for (std::size_t i = 0; i < job.arguments.size(); ++i) {
            if (const std::int64_t bytes = memory_bytes(job.arguments[i]); static_cast<cl_ulong>(bytes) > most) {
                throw Ended{Status::unsupported, "argument " + std::to_string(i) + " takes " + std::to_string(bytes) +
                                                     " bytes, the device gives " + std::to_string(most) + " at once"};
            }
        }
    }

    void launch(const Job& job, const JobProgress& progress, JobResult& result) const
    {
        constexpr double build_seconds = 60, copy_seconds = 60;
        tell(progress, build_seconds);
        const cl::Program program = build(job, result);
        cl::Kernel kernel(program, job.kernel.c_str());
        check_kernel(kernel, job);

        tell(progress, copy_seconds);
        std::vector<JobMemory> memories; // an argument does not keep its memory alive
        for (cl_uint i = 0; i < job.arguments.size(); ++i) {
            memories.push_back(memory_of(context_, queue_, job.arguments[i]));
            set_argument(kernel, i, job.arguments[i], memories.back());
        }
        queue_.finish();

        result.before = read_conditions(sysfs_);
        for (int i = -job.warm_up; i < job.samples; ++i) {
            tell(progress, job.timeout_seconds);
            const LaunchTime time = launch_once(kernel, job);
            if (i >= 0) {
                result.kernel_ns.push_back(time.kernel_ns);
                result.enqueue_ns.push_back(time.enqueue_ns);
            }
        }
        result.after = read_conditions(sysfs_);

        tell(progress, copy_seconds);
        for (const int output : job.outputs) {
            const auto index = static_cast<std::size_t>(output);
            result.outputs.push_back(contents_of(queue_, job.arguments[index], memories[index]));
        }
    }

    [[nodiscard]] cl::Program build(const Job& job, JobResult& result) const
    {
        const cl::Program program(context_, job.source);
        const auto log_of = [&] {
            std::string log;
            program.getBuildInfo(device_, CL_PROGRAM_BUILD_LOG, &log);
            return log.find_first_not_of(" \t\r\n") == std::string::npos ? std::string() : log;
        };
        try {
            program.build(device_, job.options.c_str());
        } catch (const cl::Error& error) {
            result.build_log = log_of();
            throw Ended{Status::failed,
                        "the kernel does not build: " +
                            (result.build_log.empty() ? describe(error) : first_line_with_error(result.build_log))};
        }
        result.build_log = log_of();
        return program;
    }

    void check_kernel(const cl::Kernel& kernel, const Job& job) const
    {
        if (const auto takes = kernel.getInfo<CL_KERNEL_NUM_ARGS>(); takes != job.arguments.size()) {
            throw Ended{Status::failed, "the kernel takes " + std::to_string(takes) + " arguments, the job has " +
                                            std::to_string(job.arguments.size())};
        }
        // A kernel that was compiled for this very work-group can run it, whatever the second answer is.
        const auto compiled = kernel.getWorkGroupInfo<CL_KERNEL_COMPILE_WORK_GROUP_SIZE>(device_);
        const auto limit = static_cast<std::int64_t>(kernel.getWorkGroupInfo<CL_KERNEL_WORK_GROUP_SIZE>(device_));
        const std::int64_t items = job.local[0] * job.local[1] * job.local[2];
        const bool compiled_for_it =
            std::equal(job.local.begin(), job.local.end(), compiled.begin(),
                       [](std::int64_t a, std::size_t b) { return a == static_cast<std::int64_t>(b); });
        if (!compiled_for_it && items > limit) {
            throw Ended{Status::unsupported, "the work-group has " + std::to_string(items) +
                                                 " work-items, the device takes " + std::to_string(limit) +
                                                 " of this kernel"};
        }
    }

    [[nodiscard]] LaunchTime launch_once(const cl::Kernel& kernel, const Job& job) const
    {
        cl::Event event;
        const auto start = Clock::now();
        queue_.enqueueNDRangeKernel(kernel, cl::NullRange, range_of(job.global), range_of(job.local), nullptr, &event);
        queue_.flush();
        if (!wait_for(event, start, job.timeout_seconds, info_.cpu)) {
            stuck_ = event;
            throw Ended{Status::timed_out, "one launch took longer than " + std::to_string(job.timeout_seconds) + " s"};
        }
        const auto wall = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start);
        const cl_ulong begin = event.getProfilingInfo<CL_PROFILING_COMMAND_START>();
        const cl_ulong end = event.getProfilingInfo<CL_PROFILING_COMMAND_END>();
        return {static_cast<double>(end - begin), static_cast<double>(wall.count())};
    }

    std::string sysfs_;
    OpenClDeviceInfo info_;
    cl::Device device_;
    cl::Context context_;
    cl::CommandQueue queue_;
    mutable cl::Event stuck_; ///< of the last launch that was given up; the queue is busy until it is complete
};

OpenClJobs::OpenClJobs(const std::string& selector, const std::string& sysfs)
{
    auto found = find_opencl_devices();
    std::vector<OpenClDeviceInfo> infos;
    for (const FoundDevice& device : found) {
        infos.push_back(device.info);
    }
    const OpenClDeviceInfo chosen = preferred_device(infos, selector);
    try {
        impl_ = std::make_unique<Impl>(std::move(found[static_cast<std::size_t>(chosen.index)]), sysfs);
    } catch (const cl::Error& error) {
        throw missing(describe(error), chosen.name, "the device is there but cannot be opened; check its driver");
    }
}

OpenClJobs::~OpenClJobs() = default;
OpenClJobs::OpenClJobs(OpenClJobs&&) noexcept = default;
OpenClJobs& OpenClJobs::operator=(OpenClJobs&&) noexcept = default;

const OpenClDeviceInfo& OpenClJobs::info() const
{
    return impl_->info();
}

JobResult OpenClJobs::run(const Job& job, const JobProgress& progress) const
{
    return impl_->run(job, progress);
}

std::vector<JobResult> OpenClJobs::run(const std::vector<Job>& jobs) const
{
    std::vector<JobResult> results;
    for (const Job& job : jobs) {
        results.push_back(run(job));
    }
    return results;
}

} // namespace texelscope
