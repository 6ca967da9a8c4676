#include "sim/timed/warp_scheduler.hpp"

#include <algorithm>
#include <limits>

namespace texelscope::sim {

WarpScheduler::WarpScheduler(WarpSchedule schedule, int fetch_group)
    : schedule_(schedule), // schedules other than two_level have a single group of all slots
      group_size_(schedule == WarpSchedule::two_level ? static_cast<std::size_t>(fetch_group)
                                                      : std::numeric_limits<std::size_t>::max())
{}

void WarpScheduler::restart(std::size_t slots)
{
    slots_ = slots;
    active_ = 0;
    last_is_resident_ = false;
    last_of_group_.clear();
    for (std::size_t begin = 0; begin < slots; begin = slots_of(last_of_group_.size() - 1).end) {
        last_of_group_.push_back(0);
        // Round-robin asks the slot after the last one: so it begins with the group's first slot.
        last_of_group_.back() = slots_of(last_of_group_.size() - 1).end - 1;
    }
}

WarpScheduler::Range WarpScheduler::slots_of(std::size_t group) const
{
    const std::size_t begin = group * group_size_;
    return {begin, begin + std::min(group_size_, slots_ - begin)};
}

std::size_t WarpScheduler::issue(std::span<const WarpSlot> slots, double unit_takes, double time)
{
    const auto can = [&](std::size_t i) {
        return slots[i].state == WarpSlot::State::running && slots[i].ready <= time &&
               (!slots[i].wants_unit || unit_takes <= time);
    };
    // Which fetch group: the active one, else the next one that has a warp that can issue. Where
    // there is a single group, it has one.
    Range range = slots_of(active_);
    for (std::size_t asked = 0; asked < last_of_group_.size(); ++asked) {
        const std::size_t group = (active_ + asked) % last_of_group_.size();
        range = slots_of(group);
        bool found = last_of_group_.size() == 1;
        for (std::size_t i = range.begin; i < range.end && !found; ++i) {
            found = can(i);
        }
        if (found) {
            active_ = group;
            break;
        }
    }
    // Which warp of the group.
    std::size_t chosen = range.end;
    if (schedule_ == WarpSchedule::lrr || schedule_ == WarpSchedule::two_level) {
        chosen = last_of_group_[active_];
        do {
            chosen = chosen + 1 < range.end ? chosen + 1 : range.begin;
        } while (!can(chosen));
    } else if (schedule_ == WarpSchedule::gto && last_is_resident_ && can(last_)) {
        chosen = last_;
    } else { // the oldest
        for (std::size_t i = range.begin; i < range.end; ++i) {
            if (can(i) && (chosen == range.end || slots[i].age < slots[chosen].age)) {
                chosen = i;
            }
        }
    }
    last_ = chosen;
    last_of_group_[active_] = chosen;
    last_is_resident_ = true;
    return chosen;
}

void WarpScheduler::replaced(std::size_t slot)
{
    last_is_resident_ = last_is_resident_ && slot != last_;
}

} // namespace texelscope::sim
