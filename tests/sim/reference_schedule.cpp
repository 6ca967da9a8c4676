#include "tests/sim/reference_schedule.hpp"

#include <algorithm>

namespace texelscope::test {
using namespace sim;

namespace {

std::size_t group_size(const SimulationOptions& options)
{
    return static_cast<std::size_t>(options.warp_schedule == WarpSchedule::two_level ? options.fetch_group
                                                                                     : occupancy(options).warps);
}

bool has_access(const ReferenceSlot& slot)
{
    return slot && !slot->left.empty();
}

std::optional<std::size_t> oldest_ready(const ReferenceCoreState& core, Tick now)
{
    std::optional<std::size_t> oldest;
    for (std::size_t i = 0; i < core.slots.size(); ++i) {
        if (has_access(core.slots[i]) && core.slots[i]->ready <= now &&
            (!oldest || core.slots[i]->age < core.slots[*oldest]->age)) {
            oldest = i;
        }
    }
    return oldest;
}

} // namespace

void restart_schedule(ReferenceCoreState& core, const SimulationOptions& options)
{
    core.last_resident = false;
    core.active = 0;
    core.last_of_group.clear();
    for (std::size_t begin = 0; begin < core.slots.size(); begin += group_size(options)) {
        core.last_of_group.push_back(std::min(begin + group_size(options), core.slots.size()) - 1);
    }
}

std::optional<std::size_t> choose_warp(ReferenceCoreState& core, const SimulationOptions& options, Tick now)
{
    const auto ready = [&](std::size_t i) { return has_access(core.slots[i]) && core.slots[i]->ready <= now; };
    if (options.warp_schedule == WarpSchedule::oldest) {
        return oldest_ready(core, now);
    }
    if (options.warp_schedule == WarpSchedule::gto) {
        const bool there = core.last_resident && core.last < core.slots.size(); // a core that is done has no slots
        return there && ready(core.last) ? core.last : oldest_ready(core, now);
    }
    for (std::size_t turn = 0; turn < core.last_of_group.size(); ++turn) {
        const std::size_t group = (core.active + turn) % core.last_of_group.size();
        const std::size_t begin = group * group_size(options);
        const std::size_t end = std::min(begin + group_size(options), core.slots.size());
        bool all_wait = true;
        for (std::size_t i = begin; i < end; ++i) {
            all_wait = all_wait && !(has_access(core.slots[i]) && core.slots[i]->data <= now);
        }
        if (all_wait) {
            continue;
        }
        core.active = group;
        for (std::size_t i = core.last_of_group[group] + 1; i < end; ++i) {
            if (ready(i)) {
                return i;
            }
        }
        for (std::size_t i = begin; i <= core.last_of_group[group]; ++i) {
            if (ready(i)) {
                return i;
            }
        }
        return std::nullopt; // the warps that have their data compute
    }
    return std::nullopt;
}

void remember_issue(ReferenceCoreState& core, const SimulationOptions& options, std::size_t slot)
{
    core.last = slot;
    core.last_resident = true;
    core.last_of_group[slot / group_size(options)] = slot;
}

} // namespace texelscope::test
