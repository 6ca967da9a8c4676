#pragma once

#include "base/units.hpp"
#include "sim/layout/texel_layout.hpp"
#include "sim/options/cache_level.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace texelscope::sim {

/// When a core takes new warps.
enum class GroupSchedule {
    batch,  ///< an occupancy group runs to completion before the next starts
    refill, ///< a warp that finishes is replaced at once by the next
    /// Timed mode: a work-group starts where all of its warps have room, and leaves as a whole;
    /// else as refill.
    whole,
};

/// Which core runs a work-group.
enum class Dispatch {
    round_robin, ///< group g on core g mod cores
    dynamic,     ///< the next group goes to the core that frees up first (timed mode)
};

/// Which ready warp issues (timed mode).
enum class WarpSchedule {
    lrr,    ///< loose round-robin: the next ready warp after the one that issued last
    gto,    ///< greedy, then oldest: the warp that issued last while it is ready, else the oldest
    oldest, ///< always the oldest ready warp
    /// lrr inside of one fetch group, until all of its warps wait for data (Narasiman et al., MICRO
    /// 2011).
    two_level,
};

/// How a core hands out its registers.
enum class RegisterRule {
    pool, ///< a work-item takes as many as its kernel needs, rounded up to register_step
    /// A work-item takes 32 registers, or 64 where the kernel needs more than 32. What does not fit
    /// into 64 is spilled (Arm's Mali).
    half_above,
};

/// What the registers of a work-item cost that its kernel keeps in memory (KernelDemand::
/// spilled_registers).
enum class SpillRule {
    /// Each operand of an operation is a spilled one with equal chance. Its bytes take the port of
    /// the stores, and nothing else.
    operand,
    /// Each time that the program comes through the body of a loop, it stores and loads each
    /// spilled
    /// register once, but no more of them than the body has operations. A store or load is an
    /// instruction; its bytes take the port of the stores, and that of memory where they do not fit
    /// into the last level of cache.
    body,
};

/// How a core serves reads of buffers that go through the L1 of the images. nullopt: as those of
/// images (Timing).
struct BufferReads {
    /// Issue to data of a hit in L1. What misses in it comes as much sooner than to an image.
    std::optional<double> latency = {};
    std::optional<double> lookups_per_cycle = {};
    /// Lanes whose addresses are computed in one cycle where they read in one block of that size
    /// and alignment.
    std::optional<int> lanes = {};
    Bytes block{128};
    std::optional<double> returned = {}; ///< bytes handed back to lanes per cycle

    bool operator==(const BufferReads&) const = default;
};

/// How a core serves reads, of images or of buffers: see Timing.
struct ReadService {
    double sooner = 0; ///< cycles by which data come sooner than to an image
    double lookups_per_cycle = 1;
    std::optional<int> lanes = {}; ///< nullopt: addresses take no time of their own
    Bytes block{0};
    std::optional<double> returned = {}; ///< nullopt: handing back takes no time of its own
};

/// Latencies and bandwidths of the timed mode, beside those of each level of cache. Latencies are
/// from issue to data, in core cycles.
struct Timing {
    double clock_mhz = 600;
    Cycles memory_latency{200};   ///< miss in every cache
    double launch_ns = 0;         ///< time that the launch of an empty kernel takes
    double lookups_per_cycle = 1; ///< of the texture unit of one core
    /// How many lanes of a warp the texture unit takes at a time: it computes their addresses in
    /// one cycle where they read in one block. nullopt: addresses take no time of their own.
    std::optional<int> texture_lanes = {};
    /// Size and alignment of such a block. 0: the whole memory, so that lanes taken at a time may
    /// read wherever they want.
    Bytes texture_block{256};
    /// Reads that wait at the texture unit while it serves another; more than these keep their
    /// warps from issuing.
    int texture_queue = 0;
    /// Bytes that the texture unit of a core hands back to lanes per cycle. nullopt: handing back
    /// takes no time of its own.
    std::optional<double> texture_return = {};
    BufferReads buffers;
    double memory_bytes_per_cycle = 32; ///< bandwidth of memory to all cores together
    /// Channels of memory, with an equal share of its bandwidth each. nullopt: one for all.
    std::optional<int> memory_channels = {};
    Bytes memory_interleave{256}; ///< memory that lies in one channel before the next one follows
    /// Bandwidth of the local memory of a core. nullopt: local memory takes no time.
    std::optional<double> local_bytes_per_cycle = {};
    /// Miss-status entries (MSHRs) per core: misses that can be under way at a time.
    int outstanding_misses = 64;
    /// How many further requests for its line an entry takes. nullopt: any number.
    std::optional<int> misses_merges = {};
    /// Length of a core's queue between tags and data, which keeps lookups in order. nullopt: there
    /// is no such queue.
    std::optional<int> latency_fifo = {};
    /// fp32 multiply-adds per cycle and core, from which the cycles of arithmetic follow. nullopt:
    /// not known, and arithmetic takes no time.
    std::optional<double> alu_lanes = {};
    /// Multiply-adds in half precision per cycle and core. nullopt: the device does not compute in
    /// half precision.
    std::optional<double> half_lanes = {};

    bool operator==(const Timing&) const = default;
};

/// What a warp's stores take of the port through which all cores reach the level that they share. A
/// port of so many bytes a cycle takes, for each store of a texel by the lanes of a warp,
///   (whole sectors + partial * other sectors + line * lines) * sector / bytes_per_cycle
/// cycles, where a sector is whole that the warp writes all of. A sector of which a part is written
/// has to be joined with what the cache has of it.
struct Stores {
    /// Unit and alignment of what is stored together. 0: stores take as long as their bytes.
    Bytes sector{0};
    double partial = 1; ///< whole sectors for whose time one takes that is written in part
    double line = 0;    ///< sectors for whose time each line takes that a store goes to
    /// nullopt: as the level itself.
    std::optional<double> bytes_per_cycle = {};

    bool operator==(const Stores&) const = default;
};

/// What the instructions of a kernel cost a device, and what its compiler makes of them.
struct Instructions {
    /// Partitions of a core. Each has an equal share of the core's warps and arithmetic lanes, and
    /// an issue port of its own.
    int partitions = 1;
    /// How many reads of a warp the compiler puts before the first use of one of them.
    int reads_in_flight = 1;
    double read = 1;        ///< instructions of a read, with those for its address
    double store = 1;       ///< instructions of a write of one texel
    double exponential = 6; ///< instructions of an exponential
    /// Cycles from one instruction of a warp to its next one, divided by the cycles for which the
    /// first holds the issue port; 1 or more.
    double gap = 1;
    /// A loop is unrolled where it has at most `unroll_iterations` iterations, and these together
    /// have at most `unroll_size` reads and operations.
    int unroll_iterations = 0;
    double unroll_size = 0;
    /// Arithmetic of a kernel whose text itself writes loops out takes so many times as long, since
    /// the compiler makes less of long straight code.
    double unroll_slowdown = 1;

    bool operator==(const Instructions&) const = default;
};

/// What the device is: nothing here depends on the kernel or on how a simulation is run.
struct Machine {
    int cores = 1;
    int warp_size = 64;
    /// A kernel runs in warps of twice the size if its work-items take at most so many registers
    /// and its work-groups are larger than a warp. nullopt: there are no such warps.
    std::optional<int> double_warp_registers = {};
    int warps_per_core = 16; ///< most warps that are resident on a core
    /// Most work-groups that are resident on a core (GroupSchedule::whole). nullopt: no limit.
    std::optional<int> groups_per_core = {};
    /// 32-bit registers of a core. nullopt: registers do not limit the warps.
    std::optional<std::int64_t> registers_per_core = {};
    RegisterRule register_rule = RegisterRule::pool;
    int register_step = 1; ///< RegisterRule::pool: a work-item takes a multiple of it
    /// Partitions of a core that have equal shares of its registers and warps.
    int register_partitions = 1;
    SpillRule spills = SpillRule::operand;
    LayoutSpec layout;
    /// From the core to memory. The first is each core's own texture cache, "L1"; "L2" is always
    /// listed, behind it.
    std::vector<CacheLevel> caches{
        {.name = "L1", .geometry = {.capacity = Bytes{1024}}, .latency = Cycles{80}},
        {.name = "L2",
         .geometry = {.capacity = Bytes{128 * 1024}, .ways = 16},
         .latency = Cycles{115},
         .shared = true}};
    GroupSchedule group_schedule = GroupSchedule::batch;
    Dispatch dispatch = Dispatch::round_robin;
    WarpSchedule warp_schedule = WarpSchedule::lrr;
    int fetch_group = 8; ///< warps of a fetch group (WarpSchedule::two_level)
    Timing timing;
    Stores stores;
    Instructions instructions;

    bool operator==(const Machine&) const = default;

    [[nodiscard]] CacheLevel& l1() { return caches.front(); }
    [[nodiscard]] const CacheLevel& l1() const { return caches.front(); }
    [[nodiscard]] CacheLevel& l2() { return *find("L2"); }
    [[nodiscard]] const CacheLevel& l2() const { return *find("L2"); }
    [[nodiscard]] bool has_l2() const { return l2().is_there(); }
    /// The level of that name; null where there is none.
    [[nodiscard]] CacheLevel* find(std::string_view name);
    [[nodiscard]] const CacheLevel* find(std::string_view name) const;

    /// The levels that are there, from the core to memory.
    [[nodiscard]] std::vector<CacheLevel> levels() const;
    /// A number of bytes that is a whole number of lines in every level.
    [[nodiscard]] std::int64_t common_line() const;
    /// Whether there is a level behind L1.
    [[nodiscard]] bool goes_past_l1() const;
    /// The first of the levels that all cores share, whether it is there or not. Stores go to it,
    /// and in it cores act on each other.
    [[nodiscard]] const CacheLevel& shared_level() const;
    /// How reads of images, or of buffers, are served.
    [[nodiscard]] ReadService service_of(bool buffer) const;
    /// Bytes per cycle of the port of the stores.
    [[nodiscard]] double store_bandwidth() const
    {
        return stores.bytes_per_cycle.value_or(shared_level().bytes_per_cycle);
    }
    /// The level that serves what misses in L1; L1 itself where there is none.
    [[nodiscard]] const CacheLevel& behind_l1() const;
    /// The level before memory.
    [[nodiscard]] const CacheLevel& last_level() const;
};

/// Cycles for which so many instructions of a warp hold an issue port; 0 where the number of
/// arithmetic lanes is not known.
[[nodiscard]] inline double issue_cycles(const Machine& machine, double instructions)
{
    return machine.timing.alu_lanes
               ? instructions * machine.warp_size /
                     (*machine.timing.alu_lanes / machine.instructions.partitions)
               : 0;
}

} // namespace texelscope::sim
