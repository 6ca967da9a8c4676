#pragma once

#include "base/units.hpp"
#include "sim/cache/cache_geometry.hpp"
#include "sim/layout/texel_layout.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace texelscope::sim {

/// When a core takes new warps.
enum class GroupSchedule {
    batch,  ///< an occupancy group runs to completion before the next starts
    refill, ///< a warp that finishes is replaced at once by the next
    whole,  ///< timed mode: a work-group starts where all of its warps have room, and leaves as a whole; else as refill
};

/// Which core runs a work-group.
enum class Dispatch {
    round_robin, ///< group g on core g mod cores
    dynamic,     ///< the next group goes to the core that frees up first (timed mode)
};

/// Which ready warp issues (timed mode).
enum class WarpSchedule {
    lrr,       ///< loose round-robin: the next ready warp after the one that issued last
    gto,       ///< greedy, then oldest: the warp that issued last while it is ready, else the oldest
    oldest,    ///< always the oldest ready warp
    two_level, ///< lrr inside of one fetch group, until all of its warps wait for data (Narasiman et al., MICRO 2011)
};

/// How a core hands out its registers.
enum class RegisterRule {
    pool,       ///< a work-item takes as many as its kernel needs, in steps
    half_above, ///< it takes 32, or 64 where the kernel needs more; what does not fit into 64 is spilled (Arm's Mali)
};

/// Latencies and bandwidths of the timed mode. Latencies are from issue to data, in core cycles.
struct Timing {
    double clock_mhz = 600;
    Cycles hit_latency{80};       ///< L1 hit
    Cycles l2_latency{115};       ///< L1 miss, L2 hit
    Cycles memory_latency{200};   ///< miss in every cache
    double launch_ns = 0;         ///< of an empty kernel
    double lookups_per_cycle = 1; ///< of the texture unit of one core
    int texture_lanes =
        0; ///< of a warp whose addresses the texture unit works out in one cycle, where they read in one block;
           ///< 0: addresses take no time of their own
    Bytes texture_block{256};           ///< aligned
    double l2_bytes_per_cycle = 64;     ///< L2 to all cores together
    double memory_bytes_per_cycle = 32; ///< memory to all cores together
    double local_bytes_per_cycle = 0;   ///< local memory of a core; 0: it takes no time
    int outstanding_misses = 64;        ///< entries for misses under way, per core; one more waits for an entry
    int misses_merges = 0;              ///< further requests that an entry takes; 0: as many as come
    int latency_fifo = 0;               ///< lookups between tags and data of a core, in order; 0: no such queue
    double alu_lanes = 0;           ///< fp32 multiply-adds per cycle and core; what cycles per step are derived from
    double half_lanes = 0;          ///< the same in half precision; 0: the device does not compute in it
    double alu_cycles_per_step = 0; ///< arithmetic of one warp between two of its accesses

    bool operator==(const Timing&) const = default;
};

/// What the instructions of a kernel cost a device, and what its compiler makes of them.
struct Instructions {
    int partitions = 1; ///< of a core: each has a share of its warps and arithmetic lanes, and an issue port of its own
    int reads_in_flight = 1; ///< of a warp: those that the compiler puts before the first use of one of them
    double read = 1;         ///< instructions of a read: itself, and what its address takes
    double store = 1;        ///< of each texel that is written
    double exponential = 6;  ///< of an exponential
    double operation = 1;    ///< of a multiply-add and the like: less where the kernel's numbers are halves and go in pairs
    double gap = 1; ///< cycles from an instruction of a warp to its next over those that it holds the port; 1 or more
    int unroll_iterations = 0; ///< most of a loop that the compiler writes out,
    double unroll_size = 0;    ///< and most reads and operations that all of them have together

    bool operator==(const Instructions&) const = default;
};

/// Through which cache of the first level reads of buffers go.
struct BufferPath {
    enum class Kind {
        images_l1, ///< that of the images
        own_l1,    ///< one beside it, which differs in its capacity alone
        l2,        ///< none: each warp access asks the L2 for what it reads
    } kind = Kind::images_l1;
    Bytes capacity{0}; ///< of own_l1

    bool operator==(const BufferPath&) const = default;
};

/// Everything that the simulator consumes, beside the trace.
struct SimulationOptions {
    int cores = 1;
    int simulated_cores =
        0; ///< timed mode: of them, the first so many, with their share of L2's and memory's bandwidth; 0: all
    int warp_size = 64;
    int warps_per_core = 16; ///< the core's limit
    int groups_per_core = 0; ///< most work-groups resident on a core (GroupSchedule::whole); 0: not limiting
    std::int64_t registers_per_core = 0; ///< 32-bit registers; 0: not limiting
    int registers_per_item = 0;          ///< from the kernel; 0: not limiting
    int spilled_registers = 0;           ///< of a work-item: what the kernel needs beyond them, kept in memory
    RegisterRule register_rule = RegisterRule::pool;
    int register_step = 1;       ///< of the pool: a work-item takes a multiple of it
    int register_partitions = 1; ///< of a core, each with an equal share of its registers and warps
    int compiled_warps = 0; ///< that the kernel leaves room for on a core, where its compiler has told; 0: by the rule
    int local_warps = 0;    ///< whose work-groups the local memory of a core has room for; 0: not limiting
    std::optional<int> occupancy; ///< warps; overrides what the registers give
    LayoutSpec layout;
    CacheGeometry l1{.capacity = Bytes{1024}};
    CacheGeometry l2{.capacity = Bytes{128 * 1024}, .ways = 16}; ///< capacity 0: no L2
    BufferPath buffers; ///< from the device's limits, for kernels that have some
    GroupSchedule group_schedule = GroupSchedule::batch;
    Dispatch dispatch = Dispatch::round_robin;
    WarpSchedule warp_schedule = WarpSchedule::lrr;
    int fetch_group = 8; ///< warps of one (two-level schedule)
    bool timed = false;
    bool miss_kinds = true; ///< tell compulsory, capacity and conflict misses apart (costs time)
    bool jump = true;       ///< pass over repetition in a launch; the result is the same
    Timing timing;
    Instructions instructions;
    bool warm_l2 =
        false; ///< what a launch reads and writes is in L2 from the launch before, where all of it fits (timed mode)
    double model_overlap =
        0; ///< exponent, 1 to 64, by which the bottleneck model joins its bounds; 0: the slowest of each round

    bool operator==(const SimulationOptions&) const = default;

    [[nodiscard]] bool has_l2() const { return l2.capacity.value > 0; }
    /// Whether reads of an image, or of a buffer, go past the images' L1.
    [[nodiscard]] bool past_l1(bool buffer) const { return buffer && buffers.kind != BufferPath::Kind::images_l1; }
    /// The cache of the first level that reads of an image, or of a buffer, meet; capacity 0: none.
    [[nodiscard]] CacheGeometry first_level(bool buffer) const
    {
        CacheGeometry cache = l1;
        if (past_l1(buffer)) {
            cache.capacity = buffers.kind == BufferPath::Kind::own_l1 ? buffers.capacity : Bytes{0};
        }
        return cache;
    }
};

/// The device as chases and probes meet it: each read waits for the one before, and nothing counts but caches, latencies and
/// bandwidths.
[[nodiscard]] SimulationOptions one_read_at_a_time(SimulationOptions options);

/// Cycles of an issue port for so many instructions of a warp; 0 where the lanes are not known.
[[nodiscard]] inline double issue_cycles(const SimulationOptions& options, double instructions)
{
    const double lanes = options.timing.alu_lanes / options.instructions.partitions;
    return lanes > 0 ? instructions * options.warp_size / lanes : 0;
}

/// Throws bad_input where the options do not fit together.
void validate(const SimulationOptions& options);

/// One named value of the options: the keys of `--set` and of the device profiles' XML.
struct Setting {
    std::string key;   ///< e.g. "l1.capacity"
    std::string unit;  ///< e.g. "B", "cycles"; empty for words and plain counts
    std::string about; ///< one line for help texts
};
/// All settings, in the order in which they are shown.
[[nodiscard]] const std::vector<Setting>& settings();
/// Throws bad_input for an unknown key (it names the nearest known one) or a value that does not parse.
void set(SimulationOptions& options, const std::string& key, const std::string& value);
[[nodiscard]] std::string get(const SimulationOptions& options, const std::string& key);

} // namespace texelscope::sim
