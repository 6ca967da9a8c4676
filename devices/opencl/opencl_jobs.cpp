// The engine that runs jobs in this process, in this order: limits of the device, building, memory
// of arguments, warm-up launches and samples with their times and those of the reference kernel,
// reading back. Whatever goes wrong on
// the way ends the job with a status and a reason (JobEnded); only a job that is wrong in itself
// throws.

#include "devices/opencl/opencl_jobs.hpp"

#include "devices/jobs/conditions.hpp"
#include "devices/opencl/job_memory.hpp"
#include "devices/opencl/launch_times.hpp"
#include "devices/opencl/opencl_runtime.hpp"
#include "devices/opencl/reference_kernel.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <new>
#include <optional>
#include <sstream>
#include <thread>
#include <utility>

namespace texelscope::devices {
namespace {

using Clock = std::chrono::steady_clock;
using Status = RunStatus;

/// Thrown when a job ends early. Impl::run() turns it into the job's result.
struct JobEnded {
    Status status;
    std::string reason;
};

/// Why the device's own limits do not let it run the job; nothing where nothing speaks
/// against it.
std::optional<std::string> beyond_limits(const OpenClDeviceInfo& device, const Job& job)
{
    const auto takes = [](std::int64_t number) {
        return ", the device takes " + std::to_string(number);
    };
    for (std::size_t i = 0; i < job.arguments.size(); ++i) {
        const std::string argument = "argument " + std::to_string(i);
        if (const auto* image = std::get_if<JobImage>(&job.arguments[i])) {
            if (!device.images) {
                return "the device has no images";
            }
            if (image->width > device.image_width || image->height > device.image_height) {
                return argument + " is an image of " + std::to_string(image->width) + "x" +
                       std::to_string(image->height) + " texels" + takes(device.image_width) + "x" +
                       std::to_string(device.image_height);
            }
        } else if (const auto* local = std::get_if<JobLocal>(&job.arguments[i]);
                   local != nullptr && local->bytes > device.local_memory) {
            return argument + " is " + std::to_string(local->bytes) + " bytes of local memory" +
                   takes(device.local_memory);
        }
    }
    std::int64_t items = 1;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (axis < device.max_work_item_sizes.size() &&
            job.local[axis] > device.max_work_item_sizes[axis]) {
            return "the work-group has " + std::to_string(job.local[axis]) + " work-items along " +
                   "xyz"[axis] + takes(device.max_work_item_sizes[axis]);
        }
        // One more than the limit is enough to know that it is exceeded.
        items *= std::min(job.local[axis], device.max_work_group + 1); // keeps the product small
    }
    if (items > device.max_work_group) {
        return "the work-group has too many work-items" + takes(device.max_work_group);
    }
    return std::nullopt;
}

double nanoseconds(Clock::duration time)
{
    return static_cast<double>(std::chrono::duration_cast<std::chrono::nanoseconds>(time).count());
}

/// A host buffer as large as the argument.
std::vector<std::byte> zeros_for(const JobArgument& argument)
{
    return std::vector<std::byte>(static_cast<std::size_t>(memory_bytes(argument)));
}

std::string seconds_text(double seconds)
{
    std::ostringstream text;
    text << seconds << " s";
    return text.str();
}

double seconds_since(Clock::time_point start)
{
    return std::chrono::duration<double>(Clock::now() - start).count();
}

cl::NDRange range_of(const std::array<std::int64_t, 3>& sizes)
{
    return {static_cast<std::size_t>(sizes[0]), static_cast<std::size_t>(sizes[1]),
            static_cast<std::size_t>(sizes[2])};
}

/// Waits for an event; false if that took too long. It polls without pause until a nap would no
/// longer change the measured time much. With `spare_cores` it naps from the beginning, because the
/// device computes on the cores that polling would occupy.
bool wait_for(const cl::Event& event, Clock::time_point start, double timeout_seconds,
              bool spare_cores)
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
    Impl(OpenedDevice opened, std::string sysfs)
        : sysfs_(std::move(sysfs)), opened_(std::move(opened)),
          placer_(opened_.context, opened_.device, opened_.queue)
    {}
    ~Impl() { finish_quietly(opened_.queue); }
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

    [[nodiscard]] const OpenClDeviceInfo& info() const { return opened_.info; }

    [[nodiscard]] JobResult run(const Job& job, const JobProgress& progress) const
    {
        check_job(job);
        JobResult result;
        try {
            if (stuck_() != nullptr &&
                stuck_.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() > CL_COMPLETE) {
                throw JobEnded{Status::failed, "an earlier launch that took too long still runs"};
            }
            if (auto reason = beyond_limits(opened_.info, job)) {
                throw JobEnded{Status::unsupported, std::move(*reason)};
            }
            check_memory(job);
            perform(job, progress, result);
        } catch (const cl::Error& error) {
            result.status = is_limit(error.err()) ? Status::unsupported : Status::failed;
            result.reason = describe(error);
        } catch (const JobEnded& ended) {
            result.status = ended.status;
            result.reason = ended.reason;
        } catch (const std::bad_alloc&) {
            result.status = Status::unsupported;
            result.reason = "the machine has too little memory";
        }
        if (result.status != Status::ok) {
            result.outputs.clear();
            result.fetched.clear();
        }
        return result;
    }

private:
    /// One of the kernels that are launched.
    struct Launch {
        JobStep step;
        cl::Kernel kernel;
        cl::Event event; ///< event of its last launch
    };

    static void tell(const JobProgress& progress, double seconds)
    {
        if (progress) {
            progress(seconds);
        }
    }

    // Limits that only an open context can tell: allocations and formats of images.
    void check_memory(const Job& job) const
    {
        const auto most = opened_.device.getInfo<CL_DEVICE_MAX_MEM_ALLOC_SIZE>();
        for (std::size_t i = 0; i < job.arguments.size(); ++i) {
            if (const std::int64_t bytes = memory_bytes(job.arguments[i]);
                static_cast<cl_ulong>(bytes) > most) {
                throw JobEnded{Status::unsupported,
                               "argument " + std::to_string(i) + " takes " + std::to_string(bytes) +
                                   " bytes, the device gives " + std::to_string(most) + " at once"};
            }
            if (!has_format(opened_.context, job.arguments[i], !job.steps.empty())) {
                throw JobEnded{Status::unsupported,
                               "argument " + std::to_string(i) +
                                   " is an image of a format that the device does not have"};
            }
        }
    }

    void perform(const Job& job, const JobProgress& progress, JobResult& result) const
    {
        // Bounds that a supervisor goes by: what takes longer is taken for hanging.
        constexpr double build_seconds = 60, copy_seconds = 60;
        std::vector<Launch> launches = launches_of(job);
        std::vector<cl::Program> programs;
        for (const std::string* text : texts_of(job)) {
            tell(progress, build_seconds);
            programs.push_back(build(*text, job.options, result));
        }
        for (Launch& launch : launches) {
            launch.kernel = cl::Kernel(programs[static_cast<std::size_t>(launch.step.program)],
                                       launch.step.kernel.c_str());
            if (job.work != JobWork::build) {
                check_kernel(launch);
            }
        }
        if (!launches.empty()) {
            result.footprint = footprint_of(launches.front().kernel);
        }
        if (job.work == JobWork::build) {
            return;
        }

        tell(progress, copy_seconds);
        std::vector<JobMemory> memories; // an argument does not keep its memory alive
        for (cl_uint i = 0; i < job.arguments.size(); ++i) {
            memories.push_back(memory_of(opened_.context, opened_.queue, placer_, job.arguments[i],
                                         !job.steps.empty(), memories));
        }
        for (Launch& launch : launches) {
            set_arguments(launch, job, memories);
        }
        result.fetched.resize(job.fetches.size());
        opened_.queue.finish();
        // The host's side of a copy. Its pages are touched in advance, so that no timed copy waits
        // for page faults.
        std::vector<std::byte> host = job.work == JobWork::launch ? std::vector<std::byte>()
                                      : job.work == JobWork::copy_in
                                          ? initial_contents(job.arguments.front())
                                          : zeros_for(job.arguments.front());

        std::vector<Launch> reference = job.reference ? reference_launch() : std::vector<Launch>();
        raise_clock(reference, job, progress);
        result.before = read_conditions(sysfs_);
        std::vector<LaunchTime> times; // times of all launches, those of the warm-up included
        std::vector<LaunchTime> reference_times;
        const auto start = Clock::now();
        // Runs below 0 are the warm-up: launched like the others, but not counted.
        for (int i = -job.warm_up; i < job.samples; ++i) {
            if (job.budget_seconds > 0 && seconds_since(start) > job.budget_seconds && i != 0) {
                if (i > 0) {
                    break;
                }
                i = 0; // the budget leaves no time for a warm-up
            }
            tell(progress, job.timeout_seconds);
            if (i == 0 && !reference.empty()) {
                reference_times.push_back(launch_once(reference, job, i));
            }
            feed(job, i, memories);
            times.push_back(job.work == JobWork::launch ? launch_once(launches, job, i)
                                                        : copy_once(job, memories.front(), host));
            // Times of the steps by themselves; a step that was not launched in this run takes 0.
            if (i >= 0) {
                for (std::size_t step = 0; step < job.steps.size(); ++step) {
                    result.step_ns.resize(job.steps.size());
                    result.step_ns[step].push_back(
                        is_last_of(i, job.steps[step].every) ? step_time(launches[step].event) : 0);
                }
                for (std::size_t f = 0; f < job.fetches.size(); ++f) {
                    const auto index = static_cast<std::size_t>(job.fetches[f]);
                    const auto contents =
                        contents_of(opened_.queue, job.arguments[index], memories[index]);
                    result.fetched[f].insert(result.fetched[f].end(), contents.begin(),
                                             contents.end());
                }
                swap_memories(job, i, launches, memories);
                result.kernel_ns.push_back(
                    static_cast<double>(times.back().end - times.back().start));
                result.enqueue_ns.push_back(times.back().wall);
                if (!reference.empty()) {
                    reference_times.push_back(launch_once(reference, job, i));
                }
            }
        }
        result.after = read_conditions(sysfs_);
        // A device without a usable clock of its own is measured with the host's.
        result.wall_clock = !can_be_times(times, resolution_ns());
        if (result.wall_clock) {
            result.kernel_ns = result.enqueue_ns;
        }
        for (const LaunchTime& time : reference_times) {
            result.reference_ns.push_back(
                result.wall_clock ? time.wall : static_cast<double>(time.end - time.start));
        }

        tell(progress, copy_seconds);
        for (const int output : job.outputs) {
            const auto index = static_cast<std::size_t>(output);
            result.outputs.push_back(
                job.work == JobWork::copy_out
                    ? host // what the timed copies have transferred
                    : contents_of(opened_.queue, job.arguments[index], memories[index]));
        }
    }

    /// The reference kernel as the only launch; none where it does not build.
    [[nodiscard]] std::vector<Launch> reference_launch() const
    {
        if (!reference_) {
            reference_ = ReferenceKernel{};
            try {
                reference_ = build_reference(opened_.context, opened_.device);
            } catch (const cl::Error&) {
                reference_->kernel = cl::Kernel(); // its times are extra: the job runs without them
            }
        }
        if (reference_->kernel() == nullptr) {
            return {};
        }
        return {
            {{0, "reference", {}, reference_->items, reference_->items}, reference_->kernel, {}}};
    }

    /// Keeps the device busy until its clock has risen from where it idles: until the reference
    /// kernel is as fast as it ever was, or has not become faster for a while.
    /// Governors look at the load ten to a hundred times a second.
    void raise_clock(std::vector<Launch>& reference, const Job& job,
                     const JobProgress& progress) const
    {
        constexpr double longest_seconds = 0.3, patience_seconds = 0.03, alike = 1.03;
        constexpr int in_a_row = 3;
        if (reference.empty()) {
            return;
        }
        tell(progress, longest_seconds + job.timeout_seconds);
        const auto start = Clock::now();
        auto faster_at = start;
        double fastest = std::numeric_limits<double>::infinity();
        for (int at_top = 0; at_top < in_a_row && seconds_since(start) < longest_seconds &&
                             seconds_since(faster_at) < patience_seconds;) {
            const LaunchTime time = launch_once(reference, job, 0);
            const auto ns = static_cast<double>(time.end - time.start);
            at_top = ns < fastest_reference_ns_ * alike ? at_top + 1 : 0;
            if (ns * alike < fastest) {
                fastest = ns;
                faster_at = Clock::now();
            }
        }
        fastest_reference_ns_ =
            fastest_reference_ns_ == 0 ? fastest : std::min(fastest, fastest_reference_ns_);
    }

    static void set_arguments(Launch& launch, const Job& job,
                              const std::vector<JobMemory>& memories)
    {
        for (cl_uint i = 0; i < launch.step.arguments.size(); ++i) {
            const auto argument = static_cast<std::size_t>(launch.step.arguments[i]);
            set_argument(launch.kernel, i, job.arguments[argument], memories[argument]);
        }
    }

    /// Whether something that is done once in `every` runs is due in this run: runs are counted
    /// from 0, and it is the last one of each `every`.
    static bool is_last_of(int run, int every) { return (run + 1) % every == 0; }

    void feed(const Job& job, int run, const std::vector<JobMemory>& memories) const
    {
        for (const JobFeed& each : job.feeds) {
            const auto index = static_cast<std::size_t>(each.argument);
            copy_in(opened_.queue, job.arguments[index], memories[index],
                    each.contents[static_cast<std::size_t>(run) % each.contents.size()]);
        }
    }

    static void swap_memories(const Job& job, int run, std::vector<Launch>& launches,
                              std::vector<JobMemory>& memories)
    {
        std::vector<bool> moved(memories.size(), false);
        for (const JobSwap& swap : job.swaps) {
            if (is_last_of(run, swap.every)) {
                const auto first = static_cast<std::size_t>(swap.first),
                           second = static_cast<std::size_t>(swap.second);
                std::swap(memories[first], memories[second]);
                moved[first] = moved[second] = true;
            }
        }
        // Kernels keep the memory that was set: those that use a swapped one are set again.
        for (Launch& launch : launches) {
            const auto is_moved = [&](int argument) {
                return moved[static_cast<std::size_t>(argument)];
            };
            if (std::any_of(launch.step.arguments.begin(), launch.step.arguments.end(), is_moved)) {
                set_arguments(launch, job, memories);
            }
        }
    }

    /// Step of the clock that event profiling reads.
    [[nodiscard]] double resolution_ns() const
    {
        return static_cast<double>(opened_.device.getInfo<CL_DEVICE_PROFILING_TIMER_RESOLUTION>());
    }

    static std::vector<Launch> launches_of(const Job& job)
    {
        std::vector<Launch> launches;
        for (const JobStep& step : job.steps) {
            launches.push_back({step, {}, {}});
        }
        // A job without steps is a single launch with all arguments.
        if (job.steps.empty() && !is_copy(job.work)) {
            JobStep only{0, job.kernel, {}, job.global, job.local};
            for (std::size_t i = 0; i < job.arguments.size(); ++i) {
                only.arguments.push_back(static_cast<int>(i));
            }
            launches.push_back({std::move(only), {}, {}});
        }
        return launches;
    }

    static std::vector<const std::string*> texts_of(const Job& job)
    {
        std::vector<const std::string*> texts;
        for (const std::string& program : job.programs) {
            texts.push_back(&program);
        }
        if (job.steps.empty() && !is_copy(job.work)) {
            texts.push_back(&job.source);
        }
        return texts;
    }

    static double step_time(const cl::Event& event)
    {
        return static_cast<double>(event.getProfilingInfo<CL_PROFILING_COMMAND_END>() -
                                   event.getProfilingInfo<CL_PROFILING_COMMAND_START>());
    }

    [[nodiscard]] cl::Program build(const std::string& text, const std::string& options,
                                    JobResult& result) const
    {
        const cl::Program program(opened_.context, text);
        try {
            program.build(opened_.device, options.c_str());
        } catch (const cl::Error& error) {
            result.build_log = build_log_of(program, opened_.device);
            throw JobEnded{Status::build_failed, build_failure(error, result.build_log)};
        }
        result.build_log = build_log_of(program, opened_.device);
        return program;
    }

    [[nodiscard]] DriverFootprint footprint_of(const cl::Kernel& kernel) const
    {
        const auto number = [](auto value) { return static_cast<std::int64_t>(value); };
        const cl::Device& device = opened_.device;
        DriverFootprint footprint;
        footprint.private_bytes =
            number(kernel.getWorkGroupInfo<CL_KERNEL_PRIVATE_MEM_SIZE>(device));
        footprint.local_bytes = number(kernel.getWorkGroupInfo<CL_KERNEL_LOCAL_MEM_SIZE>(device));
        footprint.largest_group =
            number(kernel.getWorkGroupInfo<CL_KERNEL_WORK_GROUP_SIZE>(device));
        footprint.group_multiple =
            number(kernel.getWorkGroupInfo<CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE>(device));
        return footprint;
    }

    void check_kernel(const Launch& launch) const
    {
        const std::size_t given = launch.step.arguments.size();
        if (const auto takes = launch.kernel.getInfo<CL_KERNEL_NUM_ARGS>(); takes != given) {
            throw JobEnded{Status::failed, "the kernel takes " + std::to_string(takes) +
                                               " arguments, the job has " + std::to_string(given)};
        }
        if (auto reason = work_group_too_large(launch.kernel, opened_.device, launch.step.local)) {
            throw JobEnded{Status::unsupported, std::move(*reason)};
        }
    }

    [[nodiscard]] LaunchTime copy_once(const Job& job, const JobMemory& memory,
                                       std::vector<std::byte>& host) const
    {
        cl::Event event;
        const auto start = Clock::now();
        if (job.work == JobWork::copy_in) {
            copy_in(opened_.queue, job.arguments.front(), memory, host, &event);
        } else {
            copy_out(opened_.queue, job.arguments.front(), memory, host, &event);
        }
        const auto wall = Clock::now() - start;
        if (std::chrono::duration<double>(wall).count() > job.timeout_seconds) {
            throw JobEnded{Status::timed_out,
                           "one copy took longer than " + seconds_text(job.timeout_seconds)};
        }
        return time_of(event, nanoseconds(wall));
    }

    // One run: all steps that are due are enqueued, in order, and waited for together.
    [[nodiscard]] LaunchTime launch_once(std::vector<Launch>& launches, const Job& job,
                                         int run) const
    {
        const auto start = Clock::now();
        const Launch* first = nullptr;
        const Launch* final = nullptr;
        for (Launch& launch : launches) {
            if (!is_last_of(run, launch.step.every)) {
                continue;
            }
            first = first == nullptr ? &launch : first;
            final = &launch;
            opened_.queue.enqueueNDRangeKernel(launch.kernel, cl::NullRange,
                                               range_of(launch.step.global),
                                               range_of(launch.step.local), nullptr, &launch.event);
        }
        opened_.queue.flush();
        if (final == nullptr) {
            throw JobEnded{Status::failed, "no step is launched in the first run"};
        }
        const cl::Event& last = final->event;
        // A launch cannot be recalled. The event is kept, so that later jobs see whether it still
        // runs.
        if (!wait_for(last, start, job.timeout_seconds, opened_.info.cpu)) {
            stuck_ = last;
            throw JobEnded{Status::timed_out,
                           std::string(launches.size() > 1 ? "the launches" : "one launch") +
                               " took longer than " + seconds_text(job.timeout_seconds)};
        }
        const auto wall = Clock::now() - start;
        LaunchTime time = time_of(last, nanoseconds(wall));
        // From the start of the first step to the end of the last one.
        time.start = first->event.getProfilingInfo<CL_PROFILING_COMMAND_START>();
        return time;
    }

    std::string sysfs_;
    OpenedDevice opened_;
    mutable WordPlacer placer_;
    mutable std::optional<ReferenceKernel> reference_; ///< built for the first job that wants it
    mutable double fastest_reference_ns_ = 0;          ///< in all jobs so far; 0: none had it
    /// Event of the last launch that was given up. The queue is busy until it is complete.
    mutable cl::Event stuck_;
};

OpenClJobs::OpenClJobs(const std::string& selector, const std::string& sysfs)
    : impl_(std::make_unique<Impl>(open_device(selector), sysfs))
{}

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

} // namespace texelscope::devices
