#pragma once

// What microbenchmarks measure on: a Target is a real OpenCL device or a simulated one behind the
// same interface, so that a probe can be tested on a device whose parameters are known.
//
// What goes in: a description of one measurement (Chase, Walk, ReadKernel, Stream, Arithmetic,
// Transfer) and a number of samples. What comes out: one number for each sample, in the order of
// measuring; units are said at each call. Targets are made by open_target() (a real device,
// job_target.hpp) or as a SimulatedTarget; probes (workbench/probes) first look at info(), then
// measure, and turn the numbers into parameters of a profile.
//
// What always holds: a target answers with measurements or throws missing() with the reason why it
// cannot make one; it never estimates or fills in numbers.

#include "base/units.hpp"
#include "codegen/nest/schedule.hpp"
#include "devices/jobs/job.hpp"
#include "traces/launch.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace texelscope::devices {

/// What a device tells of itself when it is queried.
struct TargetInfo {
    std::string name;
    std::string driver = {}; ///< version of the driver, for records
    bool simulated = false;
    /// It is a CPU: images are plain memory, and there are neither warps nor a texture cache.
    bool cpu = false;
    int compute_units = 1;
    std::int64_t max_work_group = 1;
    Extent2D largest_image{};
    std::int64_t local_memory = 0;       ///< bytes of local memory that a work-group can have
    std::int64_t largest_allocation = 0; ///< most bytes of one image or buffer; 0: not known
    double clock_mhz = 0;                ///< 0: not known
};

/// Where a kernel reads from.
enum class MemorySpace { image, buffer, constant, local };
/// "image", "buffer", "constant", "local".
[[nodiscard]] std::string to_string(MemorySpace memory);

/// How a work-item on a real device finds out which texel comes next. (A simulated device needs no
/// such means.)
enum class Route {
    /// Each texel holds the place of the next, so that no texel can occur twice in a walk.
    in_texels,
    listed, ///< from a list in constant memory, see listed_walk_job(); for images only
};

/// A pointer chase: one work-item reads a list of texels (RGBA float32, 16 bytes), each only after
/// the read before has come back. Its time is the latency of a read.
struct Chase {
    MemorySpace memory = MemorySpace::image;
    Extent2D extent{};       ///< of the image; other memories count as an image of one row
    std::vector<Texel> walk; ///< at least one
    /// Untimed passes over the walk before the timed ones. 0: the caches hold nothing of it (a
    /// simulated device starts empty; on a real one the second-level cache is as the launch before
    /// left it). The untimed passes of a very long walk may be launches of their own.
    int warm_passes = 0;
    int passes = 1; ///< timed passes
    Route route = Route::in_texels;
};

/// As Chase, for texels of an image in any order, in which a texel may occur several times. The
/// first-level cache starts cold; the next level holds as much of the texels as it can.
struct Walk {
    Extent2D extent{};         ///< of the image
    std::vector<Texel> texels; ///< texels in the order of reading; at least one
};

/// A kernel that reads images. Each work-item makes the reads that `launch` describes, one after
/// the other, each only after the one before has come back. Work-items and warps overlap as far as
/// the device allows.
struct ReadKernel {
    Launch launch;
    /// Registers that each work-item keeps live, in addition to what the reads need.
    int registers = 0;
    double multiply_adds = 0; ///< fp32 multiply-adds of a work-item for each of its reads
};

/// A bandwidth measurement: work-items read through an array again and again. Work-item i of group
/// g of G starts at element g * (elements / G) + i and advances by the group's size, modulo
/// `elements`. So every core reads all of a small array, while no part of a large one is read twice
/// in a row. Reads do not wait for each other.
struct Stream {
    MemorySpace memory = MemorySpace::buffer;
    TexelType type = TexelType::fp32; ///< type of an image's numbers; other memories hold fp32
    /// Numbers in one element: 1, 2 or 4 in an image, in other memories also 8 or 16.
    int width = 4;
    std::int64_t elements = 1; ///< length of the array, a power of two
    /// All work-items of a group read the same element at the same time, one element after the
    /// other.
    bool same = false;
    std::int32_t groups = 1;
    std::int32_t local = 1;
    std::int64_t reads = unroll; ///< reads of one work-item, a multiple of `unroll`

    static constexpr int unroll = 4; ///< independent reads in one iteration of the kernel's loop
};

/// Stores to a buffer of rows of `row` texels, all of them once. A warp covers `columns` of each of
/// its rows, side by side, and moves on along its rows.
struct StorePattern {
    Storage storage = Storage::fp32;
    std::int32_t columns = 1;    ///< a divisor of `local` and of `row`
    std::int32_t local = 256;    ///< work-items of a group
    std::int64_t rows = 1 << 15; ///< a multiple of local / columns

    static constexpr std::int32_t row = 64;
};

/// Multiply-adds on registers. Each work-item has `chains` independent chains of vectors of `width`
/// numbers.
struct Arithmetic {
    Dim3 groups{1, 1, 1};
    Dim3 local{1, 1, 1};
    std::int64_t turns = 1; ///< vector multiply-adds of each chain
    int chains = 1;
    int width = 1; ///< 1, 2, 4, 8 or 16
    Storage storage = Storage::fp32;
};

/// A copy between pageable memory of the host and the device.
struct Transfer {
    std::int64_t bytes = 0;
    bool to_device = true;
    Memory memory = Memory::buffer;
};

/// A device that microbenchmarks run on.
/// Each call returns one number for each sample, in the order of measuring. Throws missing() where
/// the device cannot do what is asked, with the reason.
class Target {
public:
    virtual ~Target() = default;

    [[nodiscard]] virtual const TargetInfo& info() const = 0;
    /// Nanoseconds per read.
    [[nodiscard]] virtual std::vector<double> chase(const Chase& chase, int samples) = 0;
    /// Nanoseconds per read, including the time to find out the next texel. That time is the same
    /// for every read, so that differences between walks come from the texels. On a simulated
    /// device it is 0.
    [[nodiscard]] virtual std::vector<double> walk(const Walk& walk, int samples) = 0;
    /// Nanoseconds of the kernel.
    [[nodiscard]] virtual std::vector<double> run(const ReadKernel& kernel, int samples) = 0;
    /// Nanoseconds of the kernel.
    [[nodiscard]] virtual std::vector<double> run(const Arithmetic& kernel, int samples) = 0;
    /// Nanoseconds of the kernel.
    [[nodiscard]] virtual std::vector<double> run(const Stream& stream, int samples) = 0;
    /// Nanoseconds of the kernel.
    [[nodiscard]] virtual std::vector<double> run(const StorePattern& pattern, int samples) = 0;
    /// For each work-item of one group, by linear local id: how many work-items of the group
    /// reached a shared counter before it.
    [[nodiscard]] virtual std::vector<std::int32_t> arrival_order(const Dim3& local) = 0;
    /// Nanoseconds of the copy from the call until it has ended.
    [[nodiscard]] virtual std::vector<double> copy(const Transfer& transfer, int samples) = 0;
    /// Nanoseconds from the call to the end of a kernel that does nothing.
    [[nodiscard]] virtual std::vector<double> launch_overhead(int samples) = 0;
    /// The present clock and temperature; what the system does not tell stays empty.
    [[nodiscard]] virtual Conditions conditions() = 0;
};

} // namespace texelscope::devices
