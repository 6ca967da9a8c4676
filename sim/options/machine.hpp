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
    pool, ///< a work-item takes as many as its kernel needs, in steps
    /// It takes 32, or 64 where the kernel needs more; what does not fit into 64 is spilled (Arm's
    /// Mali).
    half_above,
};

/// Latencies and bandwidths of the timed mode, beside those of each level of cache. Latencies are
/// from issue to data, in core cycles.
struct Timing {
    double clock_mhz = 600;
    Cycles memory_latency{200};   ///< miss in every cache
    double launch_ns = 0;         ///< of an empty kernel
    double lookups_per_cycle = 1; ///< of the texture unit of one core
    /// Of a warp, those whose addresses the texture unit works out in one cycle, where they read in
    /// one block. Nothing: addresses take no time of their own.
    std::optional<int> texture_lanes = {};
    Bytes texture_block{256};           ///< aligned
    double memory_bytes_per_cycle = 32; ///< memory to all cores together
    std::optional<double> local_bytes_per_cycle =
        {}; ///< local memory of a core. Nothing: it takes no time.
    int outstanding_misses =
        64; ///< entries for misses under way, per core; one more waits for an entry
    std::optional<int> misses_merges =
        {}; ///< further requests that an entry takes. Nothing: as many as come.
    std::optional<int> latency_fifo =
        {}; ///< lookups between tags and data of a core, in order. Nothing: no such queue.
    /// fp32 multiply-adds per cycle and core; what cycles per step are derived from. Nothing: not
    /// known, and arithmetic takes no time.
    std::optional<double> alu_lanes = {};
    std::optional<double> half_lanes =
        {}; ///< the same in half precision. Nothing: the device does not compute in it.

    bool operator==(const Timing&) const = default;
};

/// What the instructions of a kernel cost a device, and what its compiler makes of them.
struct Instructions {
    /// Of a core: each has a share of its warps and arithmetic lanes, and an issue port of its own.
    int partitions = 1;
    int reads_in_flight =
        1; ///< of a warp: those that the compiler puts before the first use of one of them
    double read = 1;        ///< instructions of a read: itself, and what its address takes
    double store = 1;       ///< of each texel that is written
    double exponential = 6; ///< of an exponential
    /// Cycles from an instruction of a warp to its next over those that it holds the port; 1 or
    /// more.
    double gap = 1;
    int unroll_iterations = 0; ///< most of a loop that the compiler writes out,
    double unroll_size = 0;    ///< and most reads and operations that all of them have together

    bool operator==(const Instructions&) const = default;
};

/// What the device is: nothing here depends on the kernel or on how a simulation is run.
struct Machine {
    int cores = 1;
    int warp_size = 64;
    int warps_per_core = 16; ///< the core's limit
    std::optional<int> groups_per_core =
        {}; ///< most work-groups that are resident on a core (GroupSchedule::whole)
    std::optional<std::int64_t> registers_per_core =
        {}; ///< 32-bit registers. Nothing: they do not limit.
    RegisterRule register_rule = RegisterRule::pool;
    int register_step = 1;       ///< of the pool: a work-item takes a multiple of it
    int register_partitions = 1; ///< of a core, each with an equal share of its registers and warps
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
    int fetch_group = 8; ///< warps of one (two-level schedule)
    Timing timing;
    Instructions instructions;

    bool operator==(const Machine&) const = default;

    [[nodiscard]] CacheLevel& l1() { return caches.front(); }
    [[nodiscard]] const CacheLevel& l1() const { return caches.front(); }
    [[nodiscard]] CacheLevel& l2() { return *find("L2"); }
    [[nodiscard]] const CacheLevel& l2() const { return *find("L2"); }
    [[nodiscard]] bool has_l2() const { return l2().is_there(); }
    /// By name; null where none is called that.
    [[nodiscard]] CacheLevel* find(std::string_view name);
    [[nodiscard]] const CacheLevel* find(std::string_view name) const;

    /// The levels that are there, from the core to memory.
    [[nodiscard]] std::vector<CacheLevel> levels() const;
    /// Bytes that are whole lines of every level.
    [[nodiscard]] std::int64_t common_line() const;
    /// Whether some level is there behind the first.
    [[nodiscard]] bool goes_past_l1() const;
    /// The first of the levels that all cores share, be it there or not: where stores go, and what
    /// cores have to do with each other.
    [[nodiscard]] const CacheLevel& shared_level() const;
    /// The level that serves what misses in L1; L1 itself where there is none.
    [[nodiscard]] const CacheLevel& behind_l1() const;
    /// The level before memory.
    [[nodiscard]] const CacheLevel& last_level() const;
};

/// Cycles of an issue port for so many instructions of a warp; 0 where the lanes are not known.
[[nodiscard]] inline double issue_cycles(const Machine& machine, double instructions)
{
    return machine.timing.alu_lanes
               ? instructions * machine.warp_size /
                     (*machine.timing.alu_lanes / machine.instructions.partitions)
               : 0;
}

} // namespace texelscope::sim
