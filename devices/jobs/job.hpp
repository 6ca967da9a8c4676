#pragma once

// A job: one kernel (or several, or a copy) with everything that is needed to run it, as a value.
// It can be written to a file and sent to another machine (job_file.hpp), which needs only an
// OpenCL driver.
//
// What goes in: devices/kernels makes jobs from loop nests, devices/targets from probes,
// networks/execution from whole networks. What comes out: one JobResult for each job, with times,
// outputs and the state of the device. The order: check_job(), then a runner (devices/runners)
// sends the job to a process of its own, whose engine (devices/opencl) builds, launches and times
// it; check_result() at the end.
//
// What always holds: a job says all that its result depends on, except for the device. A failure is
// a result, too (RunStatus with a reason), never an exception: one broken kernel does not end a
// series of jobs.

#include "devices/jobs/driver_footprint.hpp"
#include "devices/jobs/run_status.hpp"

// C++17, as everything that texelscope-agent is built from.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace texelscope::devices {

/// Type of the numbers in an image's texels. A kernel reads uint8 as integers (read_imageui), the
/// others as float.
enum class TexelType { fp32, fp16, unorm8, uint8 };

/// Bytes of a texel of 1 (R), 2 (RG) or 4 (RGBA) numbers.
[[nodiscard]] std::int64_t texel_bytes(TexelType type, int channels = 4);

/// 8 bytes that are written into a memory which is zero elsewhere: a compact form of sparse
/// contents. The layout is that of a uint4, as the device receives it. If several words have the
/// same place, any of them may win.
struct JobWord {
    std::uint32_t place = 0; ///< where to write it, counted in words of 8 bytes
    std::uint32_t unused = 0;
    std::array<std::uint32_t, 2> value{};

    bool operator==(const JobWord& other) const
    {
        return place == other.place && value == other.value;
    }
};

/// Makes an argument a part of a buffer that is an earlier argument, instead of giving it memory of
/// its own. Parts may overlap. The initial contents are those of the buffer.
struct JobPart {
    int buffer = 0; ///< number of the argument that is the buffer
    /// Where the part begins, in bytes; a multiple of the alignment that the device asks for
    /// (OpenClDeviceInfo).
    std::int64_t offset = 0;
    bool operator==(const JobPart& other) const
    {
        return buffer == other.buffer && offset == other.offset;
    }
};

/// A 2D image as an argument of a kernel.
struct JobImage {
    std::int64_t width = 1, height = 1; ///< in texels
    TexelType type = TexelType::fp32;
    /// Whether a kernel writes it (write_only); else it is only read (read_only). Where a job has
    /// several kernels, some may read what others write.
    bool written = false;
    std::vector<std::byte> contents; ///< row by row, without gaps; empty: zeros
    int channels = 4;                ///< 1 (R), 2 (RG) or 4 (RGBA)
    std::vector<JobWord> words = {}; ///< sparse contents, used where `contents` is empty
    /// Bytes of padding between rows. For an image that is only read, on a device that keeps it as
    /// the host has laid it out: it avoids rows that are a multiple of 1 KB apart, which would
    /// share few sets of a CPU's caches. For a part of a buffer it is the padding between its rows
    /// there.
    std::int64_t row_padding = 0;
    std::optional<JobPart> part = {}; ///< if set, there are neither contents nor words
};
struct JobBuffer {
    std::int64_t bytes = 0;
    bool written = false;             ///< whether a kernel writes it; else it is only read
    std::vector<std::byte> contents;  ///< empty: zeros
    std::vector<JobWord> words = {};  ///< as JobImage::words
    std::optional<JobPart> part = {}; ///< as JobImage::part
};
/// Local memory that each work-group gets as an argument.
struct JobLocal {
    std::int64_t bytes = 0;
};
using JobArgument = std::variant<JobImage, JobBuffer, JobLocal, std::int32_t, float>;

/// What a job times, once for each sample.
enum class JobWork {
    launch,   ///< launches its kernel, or its steps
    copy_in,  ///< copies from pageable memory of the host to its only argument, by a blocking call
    copy_out, ///< copies from its only argument to the host
    build,    ///< builds its kernel and does not launch it: it has no outputs
};
[[nodiscard]] inline bool is_copy(JobWork work)
{
    return work == JobWork::copy_in || work == JobWork::copy_out;
}

/// One of several kernels that a job launches one after the other.
struct JobStep {
    int program = 0;            ///< which of Job::programs has its text
    std::string kernel;         ///< name of the kernel in that program
    std::vector<int> arguments; ///< numbers of the job's arguments, in the kernel's order
    std::array<std::int64_t, 3> global{1, 1, 1};
    std::array<std::int64_t, 3> local{1, 1, 1};
    int every = 1; ///< it is launched only in the last of each `every` runs
};

/// Contents that the host writes anew before each run of a job's steps, into an image or buffer
/// that is not a part of another.
struct JobFeed {
    int argument = 0; ///< number of the argument
    /// Contents for each run in turn; after the last the first comes again.
    std::vector<std::vector<std::byte>> contents;
};

/// Two arguments, images or buffers of the same kind and size, that exchange their memories after a
/// run, so that what one run wrote to one of them the next run reads from the other.
struct JobSwap {
    int first = 0, second = 0; ///< numbers of the two arguments
    int every = 1;             ///< they are exchanged after the last of each `every` runs
};

/// One kernel and how to launch it, several, or a copy: everything that a machine with an OpenCL
/// device needs to know.
struct Job {
    std::string name; ///< name of the job, for reports
    JobWork work = JobWork::launch;
    std::string source;  ///< OpenCL C
    std::string options; ///< build options
    std::string kernel;  ///< name of the kernel in `source`
    std::vector<JobArgument> arguments;
    /// Work-items; a multiple of `local` along each axis.
    std::array<std::int64_t, 3> global{1, 1, 1};
    std::array<std::int64_t, 3> local{1, 1, 1};
    /// If there are steps, they are launched in order instead of the one kernel, without work of
    /// the host in between.
    std::vector<std::string> programs = {}; ///< OpenCL C, each built once
    std::vector<JobStep> steps = {};
    /// Only with steps: each run of them continues from what the run before has left. Such a job
    /// has neither warm-up nor budget.
    std::vector<JobFeed> feeds = {};
    std::vector<JobSwap> swaps = {}; ///< carried out in this order
    /// Arguments (images and buffers) whose contents come back after each run.
    std::vector<int> fetches = {};
    int warm_up = 1;
    int samples = 5;
    /// Limit of one launch, or of all steps together; stored to the microsecond. A copy cannot be
    /// aborted: it is found to have taken too long only when it is done.
    double timeout_seconds = 10;
    /// Once the launches have taken this long together, no further sample is taken; the first is
    /// always taken. 0: no such limit.
    double budget_seconds = 0;
    /// Whether a reference kernel is launched before the first sample and after each, which tells
    /// how fast the device's clock was then (JobResult::reference_ns).
    bool reference = false;
    /// Arguments (images and buffers) whose contents come back after the last launch.
    std::vector<int> outputs;
};

/// Size of an image or buffer in bytes; 0 for other arguments.
[[nodiscard]] std::int64_t memory_bytes(const JobArgument& argument);

/// Checks a job. Throws bad_input, naming the job, if no device could run it: sizes that are not
/// positive, contents that do not fill their argument, words beyond it or beside contents,
/// work-groups that do not divide the work-items, parts of what is no buffer before them or beyond
/// its end, outputs that name no memory, a copy of more or less than one image or buffer, runs that
/// go on from each other without steps, or with a warm-up or a budget, swaps of memories that are
/// not alike.
void check_job(const Job& job);

/// Clock and temperature of a device as read from the system's files; members stay empty where none
/// could be read.
struct Conditions {
    std::optional<std::int64_t> clock_hz;
    std::string clock_source;                 ///< the file it was read from
    std::optional<std::int64_t> millidegrees; ///< Celsius
    std::string temperature_source;           ///< the file it was read from
};

/// What became of a job: a value, not an exception.
struct JobResult {
    RunStatus status = RunStatus::ok; ///< never wrong_output, as outputs are compared later
    std::string reason;               ///< one line; empty where ok
    /// Nanoseconds of each sample by event profiling, in order, without the warm-up; whole numbers.
    /// Empty where nothing was to be launched.
    std::vector<double> kernel_ns;
    /// For each step, its time in each sample; 0 where it was not launched. With steps, kernel_ns
    /// is the time from the start of the first step to the end of the last.
    std::vector<std::vector<double>> step_ns = {};
    /// Nanoseconds of each sample by the wall clock, from the call until the host saw the end;
    /// whole numbers.
    std::vector<double> enqueue_ns;
    bool wall_clock = false; ///< the events' times were impossible, so that kernel_ns is enqueue_ns
    /// Nanoseconds of the reference kernel before the first sample and after each, by the same
    /// clock as kernel_ns: one work-group whose work-items multiply and add one after the other, so
    /// that only the clock of the cores decides. Empty where the job has none, or it does not
    /// build.
    std::vector<double> reference_ns = {};
    /// Contents in the order of Job::outputs; empty where not ok.
    std::vector<std::vector<std::byte>> outputs;
    /// Contents in the order of Job::fetches, those of all runs one behind the other; empty where
    /// not ok.
    std::vector<std::vector<std::byte>> fetched = {};
    std::string build_log;
    DriverFootprint footprint;    ///< without what the build log says
    Conditions before{}, after{}; ///< before and after the launches
};

/// Checks a result. Throws bad_input, naming the job, where a result that is ok has other outputs
/// or another number of samples than the job asked for.
void check_result(const JobResult& result, const Job& job);

} // namespace texelscope::devices
