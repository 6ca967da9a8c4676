#pragma once

#include "sim/memory/timed_memory.hpp"
#include "sim/options/options.hpp"
#include "sim/result/occupancy_over_time.hpp"
#include "sim/result/simulation_result.hpp"
#include "sim/timed/miss_path.hpp"
#include "sim/timed/stall_account.hpp"
#include "sim/timed/texture_unit.hpp"
#include "sim/timed/warp_scheduler.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace texelscope::sim {

/// One core of the timed mode: resident warps in slots, an issue port, a texture unit. It goes from event to event; the
/// caller takes the events of all cores in order.
class TimedCore {
public:
    /// `occupancy`: warps. All references must outlive this.
    TimedCore(const SimulationOptions& options, int occupancy, TimedMemory& memory, MissPath& misses, int number,
              std::shared_ptr<GroupQueue> groups);

    /// When the next event is, and its place among those of one moment: first the cores that are free take work-groups,
    /// one each and round after round, the lower number first; then the cores issue and look up, the lower number first.
    struct Event {
        double time = 0;
        int round = 0;
        int core = 0;
        bool operator<(const Event& other) const
        {
            return time != other.time     ? time < other.time
                   : round != other.round ? round < other.round
                                          : core < other.core;
        }
    };
    /// Nothing where the core is done.
    [[nodiscard]] std::optional<Event> next() const;
    /// Does what next() announced.
    void advance();

    /// When the last data had come and the last arithmetic was done; for a core that is done.
    [[nodiscard]] std::int64_t finished() const { return finished_; }
    [[nodiscard]] std::int64_t groups() const { return dispatch_.groups(); }
    /// Of a core that is done, in a launch that ends at `end`.
    [[nodiscard]] CoreResult result(std::int64_t end) const;

private:
    [[nodiscard]] bool batch() const { return options_.group_schedule == GroupSchedule::batch; }
    /// Takes warps of one work-group at hand_out_.
    void take_work();
    void take_into_occupancy_group(double time);
    void take_into_free_slots(double time);
    void open(WarpSlot& slot, WarpId id, double time);
    void issue();
    /// The texture unit has served the access of slot `issued_`.
    void access_served();
    void plan();
    [[nodiscard]] double next_hand_out() const;
    [[nodiscard]] double free_at() const;

    const SimulationOptions& options_;
    TimedMemory& memory_;
    MissPath& misses_;
    int number_;
    WarpDispatch dispatch_;
    std::size_t occupancy_;
    std::vector<WarpSlot> slots_;
    WarpScheduler scheduler_;
    TextureUnit unit_;
    double port_free_ = 0; ///< issue port: one access a cycle, and the arithmetic that goes with it
    std::size_t issued_ = 0;
    std::int64_t opened_ = 0;
    bool packing_ = true;    ///< batch: the occupancy group may grow
    bool exhausted_ = false; ///< no further warp to hand out
    double hand_out_ = 0;    ///< when it takes warps, or never
    double next_issue_ = 0;  ///< whole cycle, or never
    int round_ = 0;          ///< how often it has taken work at hand_out_
    std::int64_t finished_ = 0;
    std::int64_t occupancy_groups_ = 0;
    StallAccount account_;
    OccupancyRecorder residents_;
};

/// Simulates a launch in time: the events of all cores in their order. Fills result.cores (warps, occupancy groups, cycles,
/// stalls), result.groups and result.cycles; result.occupancy is set.
void run_timed(const TraceSource& source, const SimulationOptions& options, TimedMemory& memory,
               SimulationResult& result);

} // namespace texelscope::sim
