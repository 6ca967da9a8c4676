#include "tests/sim/reference_dispatch.hpp"

#include "sim/options/occupancy.hpp"
#include "tests/sim/reference_schedule.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace texelscope::test {
using namespace sim;

namespace {

std::vector<ReferenceWorkGroup> work_groups(const SimulationCase& c)
{
    // group -> warp -> step -> lane
    std::map<std::int64_t,
             std::map<std::int32_t, std::map<std::uint32_t, std::map<std::int32_t, LaneRead>>>>
        all;
    for (const TraceRow& row : c.rows) {
        const std::int32_t lane = row.item % c.options.machine.warp_size;
        all[row.group][row.item / c.options.machine.warp_size][row.step][lane] = {
            row.texel, row.image, static_cast<std::uint16_t>(lane)};
    }
    std::vector<ReferenceWorkGroup> groups;
    for (const auto& [group, warps] : all) {
        ReferenceWorkGroup& work = groups.emplace_back();
        for (const auto& [number, steps] : warps) {
            ReferenceWarp& warp = work.emplace_back();
            warp.group = group;
            warp.number = number;
            for (const auto& [step, lanes] : steps) {
                WarpAccess& access = warp.left.emplace_back();
                access.step = step;
                for (const auto& [lane, read] : lanes) {
                    access.lanes.push_back(read);
                }
            }
        }
    }
    return groups;
}

bool all_gone(const ReferenceCoreState& core, Tick now)
{
    return std::all_of(core.slots.begin(), core.slots.end(),
                       [&](const ReferenceSlot& s) { return gone(s, now); });
}

} // namespace

ReferenceDispatch::ReferenceDispatch(const SimulationCase& c,
                                     const std::deque<ReferenceStep>& steps)
    : options_(c.options), occupancy_(static_cast<std::size_t>(occupancy(c.options).warps)),
      steps_(steps), queues_(c.options.machine.dispatch == Dispatch::dynamic
                                 ? 1
                                 : static_cast<std::size_t>(c.options.machine.cores))
{
    for (const ReferenceWorkGroup& work : work_groups(c)) {
        queues_[static_cast<std::size_t>(work.front().group) % queues_.size()].push_back(work);
    }
}

std::deque<ReferenceStep> ReferenceDispatch::reads_in_turn(std::size_t reads) const
{
    std::deque<ReferenceStep> steps;
    const std::int64_t under_way = options_.machine.instructions.reads_in_flight - 1;
    const Tick arithmetic = ticks(options_.kernel.alu_cycles_per_step);
    for (std::size_t i = 0; i < reads; ++i) {
        ReferenceStep read{ReferenceStep::Kind::read};
        read.port = read.own = ticks_per_cycle;
        if (arithmetic == 0) {
            read.under_way = under_way;
        }
        steps.push_back(read);
        if (arithmetic > 0) {
            ReferenceStep work{ReferenceStep::Kind::work, under_way};
            work.port = work.own = arithmetic;
            steps.push_back(work);
        }
    }
    return steps;
}

void ReferenceDispatch::open(ReferenceCoreState& core, ReferenceSlot& slot, Tick now)
{
    slot = std::move(core.rest.front());
    core.rest.pop_front();
    slot->steps = steps_.empty() ? reads_in_turn(slot->left.size()) : steps_;
    slot->earliest = now;
    slot->age = core.warps++;
}

std::size_t ReferenceDispatch::place_of(const ReferenceCoreState& core) const
{
    return options_.machine.dispatch == Dispatch::dynamic ? 0
                                                          : static_cast<std::size_t>(core.number);
}

bool ReferenceDispatch::done(const ReferenceCoreState& core, Tick now) const
{
    return queues_[place_of(core)].empty() && core.rest.empty() && all_gone(core, now);
}

void ReferenceDispatch::begin_group(ReferenceCoreState& core)
{
    std::deque<ReferenceWorkGroup>& queue = queue_of(core);
    core.rest.assign(queue.front().begin(), queue.front().end());
    queue.pop_front();
    ++core.groups;
}

void ReferenceDispatch::hand_out(std::vector<ReferenceCoreState>& cores, Tick now)
{
    const bool batch = options_.machine.group_schedule == GroupSchedule::batch;
    for (ReferenceCoreState& core : cores) {
        core.packing = batch && all_gone(core, now) && !done(core, now);
        if (core.packing) {
            core.slots.clear();
        }
    }
    for (bool any = true; any;) { // one work-group to each core that can take one, and again
        any = false;
        for (ReferenceCoreState& core : cores) {
            any = (batch                                                     ? pack(core, now)
                   : options_.machine.group_schedule == GroupSchedule::whole ? take_whole(core, now)
                                                                             : refill(core, now)) ||
                  any;
        }
    }
}

/// Adds one work-group to the core's occupancy group; whether another one may be added in the next
/// round.
bool ReferenceDispatch::pack(ReferenceCoreState& core, Tick now)
{
    if (!core.packing) {
        return false;
    }
    core.packing = false;
    if (core.rest.empty()) {
        const std::size_t size = queue_of(core).empty() ? 0 : queue_of(core).front().size();
        const bool fits = size > 0 && core.slots.size() + size <= occupancy_;
        const bool cut = size > occupancy_ && core.slots.empty();
        if (fits || cut) {
            begin_group(core);
        }
        core.packing = fits;
    }
    while (!core.rest.empty() && core.slots.size() < occupancy_) {
        open(core, core.slots.emplace_back(), now);
    }
    if (!core.packing && !core.slots.empty()) {
        restart_schedule(core, options_);
        ++core.occupancy_groups;
    }
    return core.packing;
}

bool ReferenceDispatch::refill(ReferenceCoreState& core, Tick now)
{
    if (core.slots.empty()) {
        core.slots.resize(occupancy_);
        restart_schedule(core, options_);
    }
    const bool has_room = std::any_of(core.slots.begin(), core.slots.end(),
                                      [&](const ReferenceSlot& s) { return gone(s, now); });
    if (!has_room || (queue_of(core).empty() && core.rest.empty())) {
        return false;
    }
    if (core.rest.empty()) {
        begin_group(core);
    }
    for (std::size_t i = 0; i < core.slots.size(); ++i) {
        if (gone(core.slots[i], now) && !core.rest.empty()) {
            open(core, core.slots[i], now);
            ReferenceCoreState::Partition& partition = core.partitions[i % core.partitions.size()];
            partition.last_resident = partition.last_resident && partition.last != i;
        }
    }
    return true;
}

/// A work-group takes places that are free, all of whose groups have ended.
bool ReferenceDispatch::take_whole(ReferenceCoreState& core, Tick now)
{
    if (core.slots.empty()) {
        core.slots.resize(occupancy_);
        restart_schedule(core, options_);
    }
    std::set<std::int64_t> running;
    for (const ReferenceSlot& slot : core.slots) {
        if (!gone(slot, now)) {
            running.insert(slot->group);
        }
    }
    std::vector<std::size_t> free;
    std::set<std::int64_t> held;
    for (std::size_t i = 0; i < core.slots.size(); ++i) {
        if (gone(core.slots[i], now) &&
            (!core.slots[i] || !running.contains(core.slots[i]->group))) {
            free.push_back(i);
        } else {
            held.insert(core.slots[i]->group);
        }
    }
    if (core.refused_with == free.size()) { // it asks again when a place falls free
        return false;
    }
    const auto fits = [&] {
        if (!core.rest.empty()) { // the rest of one that was cut
            return free.size() == core.slots.size();
        }
        if (queue_of(core).empty() || (options_.machine.groups_per_core &&
                                       std::ssize(held) >= *options_.machine.groups_per_core)) {
            return false;
        }
        const std::size_t size = queue_of(core).front().size();
        return size <= free.size() || (size > occupancy_ && free.size() == core.slots.size());
    };
    if (!fits()) {
        core.refused_with = free.size();
        return false;
    }
    core.refused_with.reset();
    if (core.rest.empty()) {
        begin_group(core);
    }
    for (const std::size_t i : free) {
        if (!core.rest.empty()) {
            open(core, core.slots[i], now);
            ReferenceCoreState::Partition& partition = core.partitions[i % core.partitions.size()];
            partition.last_resident = partition.last_resident && partition.last != i;
        }
    }
    return true;
}

} // namespace texelscope::test
