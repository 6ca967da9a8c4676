#include "sim/timed/timed_core.hpp"

#include "sim/timed/spill_code.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <set>
#include <utility>

namespace texelscope::sim {
namespace {

/// The least of some times, `never` where there are none. Four running minima instead of one, so
/// that the processor need not finish one comparison before it starts the next.
double least(const std::vector<double>& times)
{
    std::array<double, 4> found{never, never, never, never};
    std::size_t i = 0;
    for (; i + found.size() <= times.size(); i += found.size()) {
        for (std::size_t lane = 0; lane < found.size(); ++lane) {
            found[lane] = times[i + lane] < found[lane] ? times[i + lane] : found[lane];
        }
    }
    for (; i < times.size(); ++i) {
        found[0] = std::min(found[0], times[i]);
    }
    return std::min({found[0], found[1], found[2], found[3]});
}

/// The first cycle that begins at `time` or later.
std::int64_t whole_cycle(double time)
{
    return static_cast<std::int64_t>(std::ceil(time));
}

} // namespace

TimedCore::TimedCore(Setup setup)
    : options_(setup.options), code_(setup.code), memory_(setup.memory), misses_(setup.misses),
      number_(setup.number), observer_(setup.observer), dispatch_(std::move(setup.groups)),
      occupancy_(static_cast<std::size_t>(setup.occupancy)),
      spilled_(spilled_bytes(options_) * options_.machine.warp_size),
      spilled_past_caches_(spilled_past_caches(options_)),
      unit_(options_.machine, number_, observer_ != nullptr)
{
    const auto parts = static_cast<std::size_t>(options_.machine.instructions.partitions);
    for (std::size_t i = 0; i < parts; ++i) {
        Partition& partition = partitions_.emplace_back(
            WarpScheduler(options_.machine.warp_schedule, options_.machine.fetch_group));
        if (!batch()) {
            partition.slots.resize((occupancy_ + parts - 1 - i) / parts);
            partition.scheduler.restart(partition.slots.size());
        }
    }
    taking_ = batch() || whole_groups() ? Taking::packing : Taking::running;
}

std::optional<TimedCore::Event> TimedCore::next() const
{
    const double time = std::min({next_take_, unit_.next_step(), next_issue_});
    if (time == never) {
        return std::nullopt;
    }
    return Event{time, next_take_ == time ? turn_ : std::numeric_limits<int>::max(), number_};
}

void TimedCore::advance()
{
    const double time = std::min({next_take_, unit_.next_step(), next_issue_});
    if (next_take_ == time) {
        take_work();
    } else if (unit_.next_step() == time) {
        const bool begins = unit_.begins_next();
        if (begins) { // it forgets its waits, and its queue has room again
            for (Partition& partition : partitions_) {
                partition.account_up_to(time, unit_);
            }
        }
        unit_.step(misses_);
        if (unit_.done()) {
            access_served();
        } else if (begins) {
            plan_issue();
        }
    } else {
        issue(partitions_[next_partition_]);
    }
}

double TimedCore::Partition::next_issue(double unit_takes) const
{
    return std::ceil(std::max(port_free, std::min(first_other, std::max(first_read, unit_takes))));
}

void TimedCore::Partition::note(const WarpSlot& slot)
{
    read_ready.resize(slots.size(), never);
    other_ready.resize(slots.size(), never);
    const bool runs = slot.state == WarpSlot::State::running;
    read_ready[slot.number] = runs && slot.wants_unit ? slot.ready : never;
    other_ready[slot.number] = runs && !slot.wants_unit ? slot.ready : never;
}

void TimedCore::Partition::account_up_to(double time, const TextureUnit& unit)
{
    account.up_to(time, port_free, first_read, first_other, unit);
}

void TimedCore::Partition::look_at_slots()
{
    first_read = least(read_ready);
    first_other = least(other_ready);
}

void TimedCore::plan_take()
{
    if (taking_ == Taking::exhausted) {
        next_take_ = never;
        return;
    }
    if (taking_ == Taking::packing) {
        return; // next_take_ stays: the core takes more at the same time
    }
    double first = never;
    double last = 0;
    for (const Partition& partition : partitions_) {
        for (const WarpSlot& slot : partition.slots) {
            const double free = slot.state == WarpSlot::State::free ? slot.ready : never;
            // Slots that were free when the core last took warps did not suffice for a whole group
            // then; so wait for one more slot.
            if (!whole_groups() || free > taken_at_) {
                first = std::min(first, free);
            }
            last = std::max(last, free);
        }
    }
    next_take_ = batch() ? last : first;
}

void TimedCore::plan_issue()
{
    next_issue_ = never;
    // An occupancy group starts only when it is complete.
    if (batch() && taking_ == Taking::packing) {
        return;
    }
    const double unit_takes = unit_.takes_from();
    for (std::size_t i = 0; i < partitions_.size(); ++i) {
        const double time = partitions_[i].next_issue(unit_takes);
        if (time < next_issue_) {
            next_issue_ = time;
            next_partition_ = i;
        }
    }
}

void TimedCore::open(Place place, WarpId id, double time)
{
    WarpSlot& slot = partitions_[place.partition].slots[place.slot];
    slot = WarpSlot{};
    slot.partition = place.partition;
    slot.number = place.slot;
    slot.ready = time;
    slot.earliest = time;
    slot.group = id.group;
    slot.age = opened_++;
    slot.reads = memory_.open(number_, id);
    // A warp without reads takes no time, whatever else its code does: mostly all of its work-items
    // fail a guard.
    if (slot.reads) {
        slot.state = WarpSlot::State::running;
        residents_.enter(whole_cycle(time));
        if (observer_ != nullptr) {
            observer_->on_warp_begin(number_, number_of(place), id.group, id.warp, time);
        }
        slot.back.assign(static_cast<std::size_t>(code_.most_under_way()) + 1, 0);
        slot.at.emplace(code_);
    }
}

void TimedCore::begin(std::int64_t warps)
{
    for (Partition& partition : partitions_) {
        for (WarpSlot& slot : partition.slots) {
            if (slot.state == WarpSlot::State::running && slot.age >= opened_ - warps) {
                find_ready(slot);
            }
        }
    }
}

void TimedCore::take_into_occupancy_group(double time)
{
    // The occupancy group before has run to its end: start a new one.
    if (taking_ != Taking::packing) {
        for (Partition& partition : partitions_) {
            partition.slots.clear();
            partition.read_ready.clear();
            partition.other_ready.clear();
        }
        taking_ = Taking::packing;
        taken_ = 0;
    }
    const WarpDispatch::Part part = dispatch_.pack(taken_, occupancy_);
    for (const WarpId id : part.warps) {
        const std::size_t partition = taken_++ % partitions_.size();
        partitions_[partition].slots.emplace_back();
        open({partition, partitions_[partition].slots.size() - 1}, id, time);
    }
    begin(std::ssize(part.warps));
    if (!part.more) {
        taking_ = taken_ == 0 ? Taking::exhausted : Taking::running;
        occupancy_groups_ += taken_ == 0 ? 0 : 1;
        for (Partition& partition : partitions_) {
            partition.scheduler.restart(partition.slots.size());
        }
    }
}

std::vector<TimedCore::Place> TimedCore::free_places(double time) const
{
    std::vector<Place> free;
    // The first partition has the most slots.
    for (std::size_t slot = 0; slot < partitions_.front().slots.size(); ++slot) {
        for (std::size_t p = 0; p < partitions_.size(); ++p) {
            const std::vector<WarpSlot>& slots = partitions_[p].slots;
            if (slot < slots.size() && slots[slot].is_free(time)) {
                free.push_back({p, slot});
            }
        }
    }
    return free;
}

int TimedCore::resident_groups() const
{
    std::set<std::int64_t> groups;
    for (const Partition& partition : partitions_) {
        for (const WarpSlot& slot : partition.slots) {
            if (slot.state != WarpSlot::State::free || slot.ready > next_take_) {
                groups.insert(slot.group);
            }
        }
    }
    return static_cast<int>(groups.size());
}

void TimedCore::take_into_free_slots(double time)
{
    const std::vector<Place> free = free_places(time);
    std::vector<WarpId> warps;
    if (whole_groups()) {
        const std::size_t resident = occupancy_ - free.size();
        const auto most = options_.machine.groups_per_core;
        const bool room = !most || resident_groups() < *most;
        const WarpDispatch::Part part =
            room ? dispatch_.pack(resident, occupancy_) : WarpDispatch::Part{};
        warps = part.warps;
        taking_ = warps.empty() && resident == 0 ? Taking::exhausted
                  : part.more                    ? Taking::packing
                                                 : Taking::running;
    } else {
        warps = dispatch_.next_of_one_group(free.size());
        taking_ = warps.empty() ? Taking::exhausted : Taking::running;
    }
    for (std::size_t i = 0; i < warps.size(); ++i) {
        Partition& partition = partitions_[free[i].partition];
        partition.scheduler.replaced(free[i].slot);
        open(free[i], warps[i], time);
    }
    begin(std::ssize(warps));
}

void TimedCore::take_work()
{
    const double time = next_take_;
    // Account for the cycles so far before the slots change.
    for (Partition& partition : partitions_) {
        partition.account_up_to(time, unit_);
    }
    if (batch()) {
        take_into_occupancy_group(time);
    } else {
        take_into_free_slots(time);
    }
    for (Partition& partition : partitions_) {
        partition.look_at_slots();
    }
    taken_at_ = time;
    plan_take();
    plan_issue();
    turn_ = next_take_ == time ? turn_ + 1 : 0;
}

void TimedCore::issue(Partition& partition)
{
    const double time = next_issue_;
    const std::size_t number = partition.scheduler.issue(partition.slots, unit_.takes_from(), time);
    WarpSlot& slot = partition.slots[number];
    const WarpCode::Step step = slot.at->step();
    const bool reads = step.kind == WarpCode::Kind::read;
    // A read makes the unit forget its waits, so partitions that wait for it are accounted first.
    for (Partition& other : partitions_) {
        if (&other == &partition || (reads && other.first_read < time)) {
            other.account_up_to(time, unit_);
        }
    }
    partition.account.issue(whole_cycle(time), reads);
    slot.earliest = time + std::max(step.cycles, step.gap);
    partition.port_free = time + std::max(1.0, step.cycles);
    bool begins = false;
    if (reads) {
        const TimedAccess access = slot.reads->look_up();
        misses_.announce(number_, access.lookups);
        begins = unit_.take(access, number_of({next_partition_, number}), time);
        ++slot.issued;
    } else if (step.local > 0 && options_.machine.timing.local_bytes_per_cycle) {
        const double transfer = step.local / *options_.machine.timing.local_bytes_per_cycle;
        slot.earliest = std::max(slot.earliest, local_memory_.book(time, transfer) + transfer);
    }
    if (const double bytes = step.store_port + spilled_ * step.operations + step.spilled;
        bytes > 0) {
        const double left = misses_.store(bytes, step.spilled * spilled_past_caches_, time);
        finished_ = std::max(finished_, whole_cycle(left));
    }
    slot.at->next();
    find_ready(slot);
    partition.look_at_slots();
    if (begins && unit_.done()) {
        access_served(); // there was nothing to look up: all lanes read outside of their images
    } else {
        plan_issue();
    }
}

void TimedCore::access_served()
{
    WarpSlot& slot = slot_of(unit_.reader());
    if (observer_ != nullptr) {
        observer_->on_access({number_, unit_.reader(), unit_.began(), unit_.free_at(),
                              unit_.data_at(), unit_.lookups(), unit_.fills()});
    }
    // back[i] is a running maximum: reads count as back in the order in which they were issued.
    const auto ring = static_cast<std::int64_t>(slot.back.size());
    const double before =
        slot.served == 0 ? 0 : slot.back[static_cast<std::size_t>((slot.served - 1) % ring)];
    slot.back[static_cast<std::size_t>(slot.served % ring)] = std::max(before, unit_.data_at());
    ++slot.served;
    if (slot.state == WarpSlot::State::running && slot.ready == never) {
        find_ready(slot);
        partitions_[slot.partition].look_at_slots();
    }
    plan_issue();
}

void TimedCore::find_ready(WarpSlot& slot)
{
    begin_step(slot);
    partitions_[slot.partition].note(slot);
}

void TimedCore::begin_step(WarpSlot& slot)
{
    while (slot.at->step().kind == WarpCode::Kind::skip) {
        slot.reads->skip();
        slot.at->next();
    }
    const WarpCode::Step& step = slot.at->step();
    const bool ends = step.kind == WarpCode::Kind::end ||
                      (step.kind == WarpCode::Kind::read && slot.reads->done());
    slot.wants_unit = step.kind == WarpCode::Kind::read && !ends;
    slot.ready = slot.earliest;
    // The first `needed` reads of the warp must be back before the step can begin. A warp ends when
    // all of its reads are back.
    const std::int64_t needed = slot.issued - (ends ? 0 : step.under_way);
    // The unit has not served all of these reads: access_served() asks again.
    if (needed > slot.served) {
        slot.ready = never;
        return;
    }
    if (needed > 0) {
        const auto ring = static_cast<std::int64_t>(slot.back.size());
        slot.ready = std::max(slot.ready, slot.back[static_cast<std::size_t>((needed - 1) % ring)]);
    }
    if (ends) {
        end_warp(slot);
    } else if (step.barrier) {
        meet_at_barrier(slot);
    }
}

void TimedCore::end_warp(WarpSlot& slot)
{
    slot.reads.reset();
    slot.state = whole_groups() ? WarpSlot::State::ended : WarpSlot::State::free;
    finished_ = std::max(finished_, whole_cycle(slot.ready));
    residents_.leave(whole_cycle(slot.ready));
    if (observer_ != nullptr) {
        observer_->on_warp_end(number_, number_of({slot.partition, slot.number}), slot.ready);
    }
    // Slots of a group fall free together, when its last warp ends.
    if (whole_groups()) {
        double last = 0;
        bool all = true;
        for_each_of_group(slot.group, [&](const WarpSlot& other) {
            all = all &&
                  (other.state == WarpSlot::State::free || other.state == WarpSlot::State::ended);
            last = std::max(last, other.ready);
        });
        if (all) {
            for_each_of_group(slot.group, [&](WarpSlot& other) {
                other.state = WarpSlot::State::free;
                other.ready = last;
            });
        }
    }
    plan_take();
}

void TimedCore::meet_at_barrier(WarpSlot& slot)
{
    slot.state = WarpSlot::State::at_barrier;
    slot.arrived = slot.ready;
    slot.ready = never;
    double last = 0;
    bool all = true;
    for_each_of_group(slot.group, [&](const WarpSlot& other) {
        all = all && other.state != WarpSlot::State::running;
        last = std::max(last, other.state == WarpSlot::State::at_barrier ? other.arrived : 0);
    });
    if (!all) {
        return;
    }
    for_each_of_group(slot.group, [&](WarpSlot& other) {
        if (other.state == WarpSlot::State::at_barrier) {
            other.state = WarpSlot::State::running;
            other.ready = last;
            partitions_[other.partition].note(other);
        }
    });
    for (Partition& partition : partitions_) {
        partition.look_at_slots();
    }
}

CoreResult TimedCore::result(std::int64_t end) const
{
    CoreResult result;
    result.warps = dispatch_.warps();
    result.occupancy_groups = occupancy_groups_;
    result.cycles = Cycles{finished_};
    for (const Partition& partition : partitions_) {
        StallAccount account = partition.account;
        account.up_to(static_cast<double>(finished_), partition.port_free, partition.first_read,
                      partition.first_other, unit_);
        result.stalls += account.until(end);
    }
    result.reservation_failures = unit_.failures();
    result.occupancy_over_time = residents_.result();
    return result;
}

} // namespace texelscope::sim
