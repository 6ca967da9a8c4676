#include "sim/timed/warp_scheduler.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace texelscope::sim {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

} // namespace

WarpScheduler::WarpScheduler(WarpSchedule schedule, int fetch_group)
    : schedule_(schedule), // the other schedules have one group of all slots
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
        last_of_group_.back() = slots_of(last_of_group_.size() - 1).end - 1; // so that the first is asked first
    }
}

WarpScheduler::Range WarpScheduler::slots_of(std::size_t group) const
{
    const std::size_t begin = group * group_size_;
    return {begin, begin + std::min(group_size_, slots_ - begin)};
}

WarpScheduler::Choice WarpScheduler::next_group(std::span<const WarpSlot> slots, double free) const
{
    double first_data = never;
    for (const WarpSlot& slot : slots) {
        first_data = slot.reads ? std::min(first_data, slot.data) : first_data;
    }
    const double time = std::ceil(std::max(free, first_data));
    if (time == never) {
        return {active_, never};
    }
    for (std::size_t i = 0;; ++i) { // ends: some warp has its data by then
        const std::size_t group = (active_ + i) % last_of_group_.size();
        const Range range = slots_of(group);
        if (std::any_of(slots.begin() + static_cast<std::ptrdiff_t>(range.begin),
                        slots.begin() + static_cast<std::ptrdiff_t>(range.end),
                        [&](const WarpSlot& slot) { return slot.reads && slot.data <= time; })) {
            return {group, time};
        }
    }
}

double WarpScheduler::next_issue(std::span<const WarpSlot> slots, double free) const
{
    const Choice choice = next_group(slots, free);
    if (choice.time == never) {
        return never;
    }
    const Range range = slots_of(choice.group);
    double ready = never;
    for (std::size_t i = range.begin; i < range.end; ++i) {
        ready = slots[i].reads ? std::min(ready, slots[i].ready) : ready;
    }
    return std::ceil(std::max(choice.time, ready));
}

std::size_t WarpScheduler::issue(std::span<const WarpSlot> slots, double free, double time)
{
    active_ = next_group(slots, free).group;
    const Range range = slots_of(active_);
    const auto is_ready = [&](std::size_t i) { return slots[i].reads && slots[i].ready <= time; };
    std::size_t chosen = range.end;
    if (schedule_ == WarpSchedule::lrr || schedule_ == WarpSchedule::two_level) {
        chosen = last_of_group_[active_];
        do {
            chosen = chosen + 1 < range.end ? chosen + 1 : range.begin;
        } while (!is_ready(chosen));
    } else if (schedule_ == WarpSchedule::gto && last_is_resident_ && is_ready(last_)) {
        chosen = last_;
    } else {
        for (std::size_t i = range.begin; i < range.end; ++i) {
            if (is_ready(i) && (chosen == range.end || slots[i].age < slots[chosen].age)) {
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
