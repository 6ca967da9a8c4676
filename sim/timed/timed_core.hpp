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
/// partition issues. Times of events never fall, over all cores; what a core knows of a time that
/// is not known yet is `never`.
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
        std::shared_ptr<GroupQueue> groups; ///< those that it takes, with other cores or alone
        TimedObserver* observer = nullptr;
    };
    explicit TimedCore(Setup setup);

    /// When the next event is, and its place among those of one moment: first the cores that are
    /// free take work-groups, one each and round after round, the lower number first; then the
    /// cores issue and look up, the lower number first.
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

    /// When the last data had come, the last work was done and the last store had left; for a core
    /// that is done.
    [[nodiscard]] std::int64_t finished() const { return finished_; }
    [[nodiscard]] std::int64_t groups() const { return dispatch_.groups(); }
    /// Of a core that is done, in a launch that ends at `end`.
    [[nodiscard]] CoreResult result(std::int64_t end) const;

private:
    /// A share of the core's warps, with an issue port of its own.
    struct Partition {
        explicit Partition(WarpScheduler chooser) : scheduler(std::move(chooser)) {}

        std::vector<WarpSlot> slots;
        WarpScheduler scheduler;
        StallAccount account;
        double port_free = 0; ///< issue port
        /// Of each slot, when its warp is ready and does, or does not, want the texture unit; else
        /// never.
        std::vector<double> read_ready;
        std::vector<double> other_ready;
        /// First time at which a warp is ready that wants the texture unit.
        double first_read = never;
        double first_other = never; ///< and one that does not

        /// The first whole cycle in which a warp may issue.
        [[nodiscard]] double next_issue(double unit_free) const;
        /// The slot's warp has gone on.
        void note(const WarpSlot& slot);
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
    /// Takes warps of one work-group at hand_out_.
    void take_work();
    void take_into_occupancy_group(double time);
    void take_into_free_slots(double time);
    struct Place {
        std::size_t partition = 0;
        std::size_t slot = 0;
    };
    /// For observers.
    [[nodiscard]] std::size_t number_of(Place place) const
    {
        return place.slot * partitions_.size() + place.partition;
    }
    /// The free slots, the partitions in turn.
    [[nodiscard]] std::vector<Place> free_places(double time) const;
    [[nodiscard]] int resident_groups() const;
    void open(Place place, WarpId id, double time);
    /// The last so many that were opened, those of one work-group, begin: all have their places, so
    /// that they wait for each other at a barrier.
    void begin(std::int64_t warps);
    void issue(Partition& partition);
    /// The texture unit has served the access of the slot that issued last.
    void access_served();
    /// When the slot's next step may begin, if that is known.
    void find_ready(WarpSlot& slot);
    /// The slot's part of that: `ready`, and what it is for.
    void begin_step(WarpSlot& slot);
    void end_warp(WarpSlot& slot);
    void meet_at_barrier(WarpSlot& slot);
    void plan_hand_out();
    void plan_issue();
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
    double spilled_; ///< bytes of a warp, with each operation
    std::vector<Partition> partitions_;
    TextureUnit unit_;
    Port local_memory_;
    Place reading_;       ///< whose access the unit serves
    ServedAccess served_; ///< that access, for an observer
    std::int64_t opened_ = 0;
    /// What becomes of the warps that are still to come.
    enum class Taking {
        /// More are taken at once: batch: the occupancy group may grow; whole: another group may
        /// fit.
        packing,
        running,   ///< there is no room, until hand_out_
        exhausted, ///< there are none
    } taking_ = Taking::running;
    std::size_t taken_ = 0;          ///< batch: warps of the occupancy group
    double taken_at_ = -1;           ///< when it took warps last
    double hand_out_ = 0;            ///< when it takes warps; never: not known yet, or exhausted
    double next_issue_ = 0;          ///< whole cycle, or never
    std::size_t next_partition_ = 0; ///< that issues then
    int round_ = 0;                  ///< how often it has taken work at hand_out_
    std::int64_t finished_ = 0;
    std::int64_t occupancy_groups_ = 0;
    OccupancyRecorder residents_;
};

} // namespace texelscope::sim
