#pragma once

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

/// Numbers of an image's texel. A kernel reads uint8 as whole numbers (read_imageui), the others as
/// float.
enum class TexelType { fp32, fp16, unorm8, uint8 };

/// Bytes of a texel of 1 (R), 2 (RG) or 4 (RGBA) numbers.
[[nodiscard]] std::int64_t texel_bytes(TexelType type, int channels = 4);

/// 8 bytes of a memory that is zero elsewhere, as a device takes them (uint4). Of several at one
/// place any may stay.
struct JobWord {
    std::uint32_t place = 0; ///< in words from the beginning
    std::uint32_t unused = 0;
    std::array<std::uint32_t, 2> value{};

    bool operator==(const JobWord& other) const
    {
        return place == other.place && value == other.value;
    }
};

/// A part of a buffer that comes before among the arguments, in place of a memory of its own. Parts
/// may overlap; what is there at first is the buffer's.
struct JobPart {
    int buffer = 0; ///< number of the argument
    /// In bytes; such as the device can begin a part at (OpenClDeviceInfo).
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
    /// write_only, else read_only; of several kernels some may read what others write.
    bool written = false;
    std::vector<std::byte> contents; ///< row by row, without gaps; empty: zeros
    int channels = 4;                ///< 1 (R), 2 (RG) or 4 (RGBA)
    std::vector<JobWord> words = {}; ///< beside zeros, where there are no contents
    /// Bytes between the rows of an image that is only read, on a device that keeps it as the host
    /// had it. Rows a multiple of 1 KB apart share few sets of a CPU's caches. Of a part of a
    /// buffer: between its rows there.
    std::int64_t row_padding = 0;
    std::optional<JobPart> part = {}; ///< without contents and words, then
};
struct JobBuffer {
    std::int64_t bytes = 0;
    bool written = false;             ///< else the kernel only reads it
    std::vector<std::byte> contents;  ///< empty: zeros
    std::vector<JobWord> words = {};  ///< as of an image
    std::optional<JobPart> part = {}; ///< as of an image
};
/// Local memory of each work-group.
struct JobLocal {
    std::int64_t bytes = 0;
};
using JobArgument = std::variant<JobImage, JobBuffer, JobLocal, std::int32_t, float>;

/// What a job does again and again.
enum class JobWork {
    launch,   ///< of its kernel
    copy_in,  ///< from pageable memory of the host to its only argument, by a call that blocks
    copy_out, ///< the other way
};

/// One of several kernels that a job launches one after the other.
struct JobStep {
    int program = 0;            ///< number of its text among Job::programs
    std::string kernel;         ///< its name there
    std::vector<int> arguments; ///< numbers of the job's arguments, in the kernel's order
    std::array<std::int64_t, 3> global{1, 1, 1};
    std::array<std::int64_t, 3> local{1, 1, 1};
    int every = 1; ///< it is launched in the last of so many runs
};

/// Numbers that come from the host again before each run of a job's steps, of an image or buffer
/// that is no part of another.
struct JobFeed {
    int argument = 0; ///< number of it
    /// Of each run in turn, from the first on after the last.
    std::vector<std::vector<std::byte>> contents;
};

/// Two arguments, images or buffers alike, that change memories after a run: what has written one
/// of them is read as the other then.
struct JobSwap {
    int first = 0, second = 0; ///< numbers of them
    int every = 1;             ///< after the last of so many runs
};

/// One kernel and how to launch it, several, or a copy: everything that a machine with an OpenCL
/// device needs to know.
struct Job {
    std::string name; ///< of the job, for reports
    JobWork work = JobWork::launch;
    std::string source;  ///< OpenCL C
    std::string options; ///< of the build
    std::string kernel;  ///< its name in `source`
    std::vector<JobArgument> arguments;
    /// Work-items; a multiple of `local` along each axis.
    std::array<std::int64_t, 3> global{1, 1, 1};
    std::array<std::int64_t, 3> local{1, 1, 1};
    /// Where there are steps, these are launched in order in place of the one kernel, and the host
    /// does nothing in between.
    std::vector<std::string> programs = {}; ///< OpenCL C, each built once
    std::vector<JobStep> steps = {};
    /// Beside steps, where each run of them goes on from what the one before has left; there is no
    /// warm-up then, nor a budget.
    std::vector<JobFeed> feeds = {};
    std::vector<JobSwap> swaps = {}; ///< in this order
    /// Arguments (images and buffers) whose contents come back after each run.
    std::vector<int> fetches = {};
    int warm_up = 1;
    int samples = 5;
    /// Of one launch, or of all steps together; kept to the microsecond. A copy cannot be given up:
    /// that it took too long is found when it is done.
    double timeout_seconds = 10;
    /// No further sample is taken once the launches have taken this long together, but for the
    /// first; 0: no such limit.
    double budget_seconds = 0;
    /// Arguments (images and buffers) whose contents come back after the last launch.
    std::vector<int> outputs;
};

/// The numbers of an image or buffer; 0 for the others.
[[nodiscard]] std::int64_t memory_bytes(const JobArgument& argument);

/// Throws bad_input, naming the job, where it is not one that some device could run: sizes that are
/// not positive, contents that do not fill their argument, words beyond it or beside contents,
/// work-groups that do not divide the work-items, parts of what is no buffer before them or beyond
/// its end, outputs that name no memory, a copy of more or less than one image or buffer, runs that
/// go on from each other without steps, or with a warm-up or a budget, swaps of memories that are
/// not alike.
void check_job(const Job& job);

/// Clock and temperature of a device as the system's files give them; nothing where none could be
/// read.
struct Conditions {
    std::optional<std::int64_t> clock_hz;
    std::string clock_source;                 ///< the file
    std::optional<std::int64_t> millidegrees; ///< Celsius
    std::string temperature_source;           ///< the file
};

/// What became of a job: a value, not an exception.
struct JobResult {
    RunStatus status = RunStatus::ok; ///< never wrong_output: nobody has compared it yet
    std::string reason;               ///< one line; empty where ok
    /// By event profiling, in order, after the warm-up; whole numbers.
    std::vector<double> kernel_ns;
    /// Of each step, as kernel_ns, which is from the first's start to the last's end; 0 where it
    /// was not launched.
    std::vector<std::vector<double>> step_ns = {};
    /// Wall clock from the call until the end was seen, in order; whole numbers.
    std::vector<double> enqueue_ns;
    bool wall_clock = false; ///< the events' times cannot be: kernel_ns is enqueue_ns
    /// In the order of Job::outputs; empty where not ok.
    std::vector<std::vector<std::byte>> outputs;
    /// In the order of Job::fetches, of every run one behind the other; empty where not ok.
    std::vector<std::vector<std::byte>> fetched = {};
    std::string build_log;
    DriverFootprint footprint;    ///< but for what is in the build log
    Conditions before{}, after{}; ///< of the launches
};

/// Throws bad_input, naming the job, where a result that is ok has other outputs or numbers of
/// samples than the job asked for.
void check_result(const JobResult& result, const Job& job);

} // namespace texelscope::devices
