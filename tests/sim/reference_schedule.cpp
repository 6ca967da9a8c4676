#include "tests/sim/reference_schedule.hpp"

#include "sim/options/occupancy.hpp"

#include <algorithm>

namespace texelscope::test {
using namespace sim;

namespace {

std::size_t group_size(const SimulationOptions& options)
{
    return static_cast<std::size_t>(options.machine.warp_schedule == WarpSchedule::two_level
                                        ? options.machine.fetch_group
                                        : occupancy(options).warps);
}

/// The slots of a partition, in order.
std::vector<std::size_t> slots_of(const ReferenceCoreState& core, std::size_t partition)
{
    std::vector<std::size_t> slots;
    for (std::size_t i = partition; i < core.slots.size(); i += core.partitions.size()) {
        slots.push_back(i);
    }
    return slots;
}

} // namespace

void restart_schedule(ReferenceCoreState& core, const SimulationOptions& options)
{
    for (std::size_t p = 0; p < core.partitions.size(); ++p) {
        ReferenceCoreState::Partition& partition = core.partitions[p];
        const std::size_t slots = slots_of(core, p).size();
        partition.last_resident = false;
        partition.active = 0;
        partition.last_of_group.clear();
        for (std::size_t begin = 0; begin < slots; begin += group_size(options)) {
            partition.last_of_group.push_back(std::min(begin + group_size(options), slots) - 1);
        }
    }
}

std::optional<std::size_t> choose_warp(ReferenceCoreState& core, std::size_t partition_number,
                                       const SimulationOptions& options, bool unit_free, Tick now)
{
    ReferenceCoreState::Partition& partition = core.partitions[partition_number];
    const std::vector<std::size_t> slots = slots_of(core, partition_number);
    const auto can = [&](std::size_t slot) {
        const ReferenceSlot& warp = core.slots[slot];
        return warp && warp->ready(now) &&
               (unit_free || warp->steps.front().kind != ReferenceStep::Kind::read);
    };
    if (options.machine.warp_schedule == WarpSchedule::oldest ||
        options.machine.warp_schedule == WarpSchedule::gto) {
        if (options.machine.warp_schedule == WarpSchedule::gto && partition.last_resident &&
            partition.last < core.slots.size() && can(partition.last)) {
            return partition.last;
        }
        std::optional<std::size_t> oldest;
        for (const std::size_t slot : slots) {
            if (can(slot) && (!oldest || core.slots[slot]->age < core.slots[*oldest]->age)) {
                oldest = slot;
            }
        }
        return oldest;
    }
    for (std::size_t turn = 0; turn < partition.last_of_group.size(); ++turn) {
        const std::size_t group = (partition.active + turn) % partition.last_of_group.size();
        const std::size_t begin = group * group_size(options);
        const std::size_t end = std::min(begin + group_size(options), slots.size());
        for (std::size_t i = partition.last_of_group[group] + 1; i < end; ++i) {
            if (can(slots[i])) {
                partition.active = group;
                return slots[i];
            }
        }
        for (std::size_t i = begin; i < end && i <= partition.last_of_group[group]; ++i) {
            if (can(slots[i])) {
                partition.active = group;
                return slots[i];
            }
        }
    }
    return std::nullopt;
}

void remember_issue(ReferenceCoreState& core, const SimulationOptions& options, std::size_t slot)
{
    ReferenceCoreState::Partition& partition = core.partitions[slot % core.partitions.size()];
    const std::size_t place = slot / core.partitions.size();
    partition.last = slot;
    partition.last_resident = true;
    partition.last_of_group[place / group_size(options)] = place;
}

} // namespace texelscope::test
