#pragma once

#include "base/units.hpp"
#include "codegen/nest/schedule.hpp"
#include "devices/jobs/job.hpp"
#include "traces/launch.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace texelscope::devices {

/// What a device answers when it is asked.
struct TargetInfo {
    std::string name;
    std::string driver = {}; ///< version, for records
    bool simulated = false;
    bool cpu = false; ///< images are plain memory, and there are neither warps nor a texture cache
    int compute_units = 1;
    std::int64_t max_work_group = 1;
    Extent2D largest_image{};
    std::int64_t local_memory = 0;       ///< bytes that a work-group can have
    std::int64_t largest_allocation = 0; ///< bytes of an image or a buffer; 0: not known
    double clock_mhz = 0;                ///< 0: not known
};

/// Where a kernel reads from.
enum class MemorySpace { image, buffer, constant, local };
/// "image", "buffer", "constant", "local".
[[nodiscard]] std::string to_string(MemorySpace memory);

/// How a work-item on a real device learns which texel comes next. A simulated one knows.
enum class Route {
    in_texels, ///< each texel holds the place of the next: none can occur twice in a walk
    listed,    ///< from a list in constant memory, see listed_walk_job(); for images
};

/// One work-item that reads a list of texels (RGBA float32, 16 bytes), each once the read before
/// has come back.
struct Chase {
    MemorySpace memory = MemorySpace::image;
    Extent2D extent{};       ///< of the image; the others are an image of one row
    std::vector<Texel> walk; ///< at least one
    /// Passes over the walk before those that are timed. 0: the caches have seen nothing of it (a
    /// simulated device is empty, a real one has its second-level cache as the launch before left
    /// it). Those of a very long walk may be launches of their own.
    int warm_passes = 0;
    int passes = 1; ///< that are timed
    Route route = Route::in_texels;
};

/// One work-item that reads texels (RGBA float32, 16 bytes), each once the read before has come
/// back, in any order and any of them as often as it occurs. The first-level cache is cold, and the
/// next one holds what it can of them.
struct Walk {
    Extent2D extent{};         ///< of the image
    std::vector<Texel> texels; ///< at least one
};

/// A kernel that reads images, every work-item one texel after the other as `launch` says, each
/// once the one before has come back; work-items and warps overlap as far as the device lets them.
struct ReadKernel {
    Launch launch;
    int registers = 0;        ///< live in each work-item throughout, beside what the reads need
    double multiply_adds = 0; ///< of a work-item for each of its reads, fp32
};

/// Work-items that read an array through, over and over: work-item i of group g of G starts at
/// element g * (elements / G) + i and goes on by the group's size, modulo `elements`. So small
/// arrays are read by every core, of large ones no part twice in a row. Reads do not wait for each
/// other.
struct Stream {
    MemorySpace memory = MemorySpace::buffer;
    TexelType type = TexelType::fp32; ///< of an image's numbers; the others hold fp32
    /// Numbers of an element: of an image 1, 2 or 4, of the others also 8 or 16.
    int width = 4;
    std::int64_t elements = 1; ///< a power of two
    /// All work-items of a group read the same element at a time, one element after the other.
    bool same = false;
    std::int32_t groups = 1;
    std::int32_t local = 1;
    std::int64_t reads = unroll; ///< of a work-item, a multiple of `unroll`

    static constexpr int unroll = 4; ///< reads that the kernel has side by side
};

/// Multiply-adds from registers, in `chains` independent chains of vectors of `width` numbers a
/// work-item.
struct Arithmetic {
    Dim3 groups{1, 1, 1};
    Dim3 local{1, 1, 1};
    std::int64_t turns = 1; ///< multiply-adds of each chain
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

/// A device that microbenchmarks run on: a real one, or a simulated one whose parameters are known.
/// Each call returns one number for each sample, in the order of measuring. Throws missing() where
/// the device cannot do what is asked, with the reason.
class Target {
public:
    virtual ~Target() = default;

    [[nodiscard]] virtual const TargetInfo& info() const = 0;
    /// Nanoseconds per read.
    [[nodiscard]] virtual std::vector<double> chase(const Chase& chase, int samples) = 0;
    /// Nanoseconds per read, with what it takes to know the next texel. That is the same for every
    /// read, so that the differences between walks are those of the texels; on a device with
    /// latencies alone it is nothing.
    [[nodiscard]] virtual std::vector<double> walk(const Walk& walk, int samples) = 0;
    /// Nanoseconds of the kernel.
    [[nodiscard]] virtual std::vector<double> run(const ReadKernel& kernel, int samples) = 0;
    /// Nanoseconds of the kernel.
    [[nodiscard]] virtual std::vector<double> run(const Arithmetic& kernel, int samples) = 0;
    /// Nanoseconds of the kernel.
    [[nodiscard]] virtual std::vector<double> run(const Stream& stream, int samples) = 0;
    /// For each work-item of one group, by linear local id, how many of the group came to a shared
    /// counter before it.
    [[nodiscard]] virtual std::vector<std::int32_t> arrival_order(const Dim3& local) = 0;
    /// Nanoseconds of the copy from the call until it has ended.
    [[nodiscard]] virtual std::vector<double> copy(const Transfer& transfer, int samples) = 0;
    /// Nanoseconds from the call to the end of a kernel that does nothing.
    [[nodiscard]] virtual std::vector<double> launch_overhead(int samples) = 0;
    /// Clock and temperature now; what the system does not tell stays empty.
    [[nodiscard]] virtual Conditions conditions() = 0;
};

} // namespace texelscope::devices
