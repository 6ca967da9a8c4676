#pragma once

#include "sim/memory/timed_memory.hpp"
#include "sim/options/options.hpp"
#include "sim/result/occupancy_over_time.hpp"
#include "sim/result/simulation_result.hpp"
#include "sim/timed/miss_path.hpp"
#include "sim/timed/stall_account.hpp"
#include "sim/timed/texture_unit.hpp"
#include "sim/timed/warp_code.hpp"
#include "sim/timed/warp_scheduler.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace texelscope::sim {

/// One core of the timed mode: partitions, each with resident warps in slots and an issue port, and
/// a texture unit that they share.
///
/// In go the launch's work-groups (GroupQueue), what each warp does step by step (WarpCode), what
/// its reads find in the caches (TimedMemory) and when the data of a miss come (MissPath); out come
/// the core's cycles, where they went, and its warps. The caller asks all cores for next(), lets
/// the one with the earliest event advance(), and takes result() when none has an event left:
///
///   what the core takes:         packing --> running --> exhausted
///                                   ^           |
///                                   +-----------+  slots fall free
///
///   a warp's place (WarpSlot):   free --> running --> free, or where groups leave as a whole
///                                         |     ^     ended --> free, with its group
///                                         v     |
///                                       at_barrier
///
/// An event is one of three: the core takes warps of a work-group, the unit serves a lookup, or a
/// partition issues. Times of events never decrease, over all cores. A time that is not known yet,
/// such as when a warp that waits for a read is ready, is `never`.
class TimedCore {
public:
    /// What a core is part of. All references must outlive it.
    struct Setup {
        const SimulationOptions& options;
        int number = 0;
        int occupancy = 1; ///< warps
        const WarpCode& code;
        TimedMemory& memory;
        MissPath& misses;
        /// The work-groups that this core takes from; all cores share it, or it is the core's own.
        std::shared_ptr<GroupQueue> groups;
        TimedObserver* observer = nullptr;
    };
    explicit TimedCore(Setup setup);

    /// When the next event of a core is, and its place among the events of one moment. First the
    /// cores with free slots take work-groups, turn after turn: in each every such core
    /// takes one group, the core with the lower number first. Then the cores issue and look up, the
    /// lower number first.
    struct Event {
        double time = 0;
        int turn = 0;
        int core = 0;
        bool operator<(const Event& other) const
        {
            return time != other.time   ? time < other.time
                   : turn != other.turn ? turn < other.turn
                                        : core < other.core;
        }
    };
    /// The next event; nullopt where the core is done.
    [[nodiscard]] std::optional<Event> next() const;
    /// Carries out the event that next() announced.
    void advance();

    /// Cycle at which the core was done: the last data had arrived, the last work was finished and
    /// the last store had left. Final once next() returns nullopt.
    [[nodiscard]] std::int64_t finished() const { return finished_; }
    /// Number of work-groups that the core has taken.
    [[nodiscard]] std::int64_t groups() const { return dispatch_.groups(); }
    /// The result of a core that is done, in a launch whose last core is done at cycle `end`.
    [[nodiscard]] CoreResult result(std::int64_t end) const;

private:
    /// A share of the core's warps, with an issue port of its own.
    struct Partition {
        explicit Partition(WarpScheduler chooser) : scheduler(std::move(chooser)) {}

        std::vector<WarpSlot> slots;
        WarpScheduler scheduler;
        StallAccount account;
        double port_free = 0; ///< when the issue port is free
        /// By slot: when its warp is ready for a step that is a read; else `never`.
        std::vector<double> read_ready;
        /// By slot: when its warp is ready for a step that is no read; else `never`.
        std::vector<double> other_ready;
        double first_read = never;  ///< least of read_ready
        double first_other = never; ///< least of other_ready

        /// The first whole cycle in which a warp can issue, where the texture unit takes reads from
        /// `unit_takes` on.
        [[nodiscard]] double next_issue(double unit_takes) const;
        /// Updates read_ready and other_ready after the state of a slot has changed.
        void note(const WarpSlot& slot);
        /// StallAccount::up_to() with the state of this partition.
        void account_up_to(double time, const TextureUnit& unit);
        /// Updates first_read and first_other after note().
        void look_at_slots();
    };
    [[nodiscard]] bool batch() const
    {
        return options_.machine.group_schedule == GroupSchedule::batch;
    }
    [[nodiscard]] bool whole_groups() const
    {
        return options_.machine.group_schedule == GroupSchedule::whole;
    }
    /// The event at next_take_: takes warps of one work-group.
    void take_work();
    /// take_work() of the batch schedule: adds the warps to the occupancy group that is packed.
    void take_into_occupancy_group(double time);
    /// take_work() of the other schedules: puts the warps into slots that are free at `time`.
    void take_into_free_slots(double time);
    struct Place {
        std::size_t partition = 0;
        std::size_t slot = 0;
    };
    /// The number of a slot as observers know it, over all partitions in turn (TimedObserver).
    [[nodiscard]] std::size_t number_of(Place place) const
    {
        return place.slot * partitions_.size() + place.partition;
    }
    [[nodiscard]] WarpSlot& slot_of(std::size_t number)
    {
        return partitions_[number % partitions_.size()].slots[number / partitions_.size()];
    }
    /// The slots that are free at `time`, taken from the partitions in turn.
    [[nodiscard]] std::vector<Place> free_places(double time) const;
    /// Number of work-groups that have a slot at next_take_.
    [[nodiscard]] int resident_groups() const;
    /// Puts a warp into a slot. It does not begin yet: see begin().
    void open(Place place, WarpId id, double time);
    /// Begins the last `warps` warps that were opened, all of one work-group. They begin only when
    /// all of them have slots, so that a barrier knows for which warps it has to wait.
    void begin(std::int64_t warps);
    /// The event at next_issue_: a warp of the partition issues its next step.
    void issue(Partition& partition);
    /// Called when the texture unit has served an access.
    void access_served();
    /// Finds when the slot's next step can begin, as far as that is known, and notes it in the
    /// slot's partition.
    void find_ready(WarpSlot& slot);
    /// The part of find_ready() that changes the slot alone; ends the warp after its last step.
    void begin_step(WarpSlot& slot);
    void end_warp(WarpSlot& slot);
    /// The slot's warp waits at a barrier; the last warp of its group releases all of them.
    void meet_at_barrier(WarpSlot& slot);
    /// Updates next_take_.
    void plan_take();
    /// Updates next_issue_ and next_partition_.
    void plan_issue();
    /// Visits the slots of all partitions that hold, or last held, a warp of the group.
    template <class Visit>
    void for_each_of_group(std::int64_t group, const Visit& visit)
    {
        for (Partition& partition : partitions_) {
            for (WarpSlot& slot : partition.slots) {
                if (slot.group == group) {
                    visit(slot);
                }
            }
        }
    }

    const SimulationOptions& options_;
    const WarpCode& code_;
    TimedMemory& memory_;
    MissPath& misses_;
    int number_;
    TimedObserver* observer_;
    WarpDispatch dispatch_;
    std::size_t occupancy_;
    double spilled_; ///< bytes of spilled registers that a warp moves with each operation
    double spilled_past_caches_; ///< share of the spilled bytes of a step that goes to memory
    std::vector<Partition> partitions_;
    TextureUnit unit_;
    Port local_memory_;
    std::int64_t opened_ = 0; ///< number of warps opened so far
    /// Whether the core takes more warps, and when.
    enum class Taking {
        /// More warps are taken at once. Batch: the occupancy group may grow; whole: another
        /// work-group may fit.
        packing,
        running,   ///< there is no room until next_take_
        exhausted, ///< there are no more warps
    } taking_ = Taking::running;
    std::size_t taken_ = 0;          ///< batch: warps in the occupancy group so far
    double taken_at_ = -1;           ///< when the core last took warps
    double next_take_ = 0;           ///< when it next does; `never`: not known yet, or exhausted
    double next_issue_ = 0;          ///< whole cycle of the next issue, or `never`
    std::size_t next_partition_ = 0; ///< the partition that issues then
    int turn_ = 0;                   ///< how often the core has already taken work at next_take_
    std::int64_t finished_ = 0;
    std::int64_t occupancy_groups_ = 0;
    OccupancyRecorder residents_;
};

} // namespace texelscope::sim
