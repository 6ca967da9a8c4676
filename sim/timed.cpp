// The timed mode: cores issue in the order of time (ties: the lower core number first), so that the result does not
// depend on anything but the input.

#include "sim/miss_path.hpp"
#include "sim/run.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

namespace texelscope {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

/// One core: resident warps in slots, a texture unit, an issue port.
class TimedCore {
public:
    TimedCore(Run& run, MissPath& misses, int number)
        : run_(run), misses_(misses), number_(number),
          dispatch_(run.source, number, run.options.cores, run.options.warp_size),
          occupancy_(static_cast<std::size_t>(run.result.occupancy.warps))
    {
        if (run.options.group_schedule == GroupSchedule::batch) {
            start_occupancy_group(0);
        } else {
            slots_.resize(occupancy_);
            last_ = slots_.size() - 1; // so that the first slot is the first to be asked
            hand_out(0);
        }
        plan();
    }

    /// Cycle of the next issue, or `never`.
    [[nodiscard]] double next_issue() const { return next_issue_; }

    /// Issues at next_issue() and plans the issue after it.
    void issue();

    [[nodiscard]] CoreResult result(std::int64_t end) const
    {
        CoreResult result;
        result.warps = dispatch_.warps();
        result.occupancy_groups = occupancy_groups_;
        result.cycles = Cycles{finished_};
        result.stalls = stalls_;
        result.stalls.waiting_for_data += finished_ - accounted_; // the last data come in, the last arithmetic is done
        result.stalls.idle += end - finished_;
        return result;
    }
    [[nodiscard]] std::int64_t finished() const { return finished_; }
    [[nodiscard]] std::int64_t groups() const { return dispatch_.groups(); }

private:
    struct Slot {
        WarpId id;
        std::unique_ptr<WarpStream> stream; ///< null: the slot is free from `ready` on
        WarpAccess access;                  ///< the next one
        double data = 0;                    ///< when the data of the previous access were there
        double ready = 0;                   ///< when the next access may issue
        std::int64_t age = 0;               ///< number of the warp in the order of dispatch
    };

    void open(Slot& slot, WarpId id, double time);
    void start_occupancy_group(double time);
    /// Refill: gives every slot that is free at `time` the next warp, the slot that was free first the first one.
    void hand_out(double time);
    void plan();
    [[nodiscard]] std::size_t choose(double time) const;
    void account(const Slot& slot, std::int64_t time);

    Run& run_;
    MissPath& misses_;
    int number_;
    WarpDispatch dispatch_;
    std::size_t occupancy_;
    std::vector<Slot> slots_;
    std::size_t last_ = 0;          ///< slot that issued last
    bool last_is_resident_ = false; ///< it still holds the warp that issued last
    std::int64_t opened_ = 0;
    double port_free_ = 0;    ///< issue port: one access a cycle, and the arithmetic that goes with it
    double unit_free_ = 0;    ///< texture unit
    double unit_blocked_ = 0; ///< part of the time up to unit_free_ in which it waited to take a miss
    double next_issue_ = never;
    bool exhausted_ = false; ///< no further warp to hand out
    std::int64_t finished_ = 0;
    std::int64_t accounted_ = 0; ///< stalls_ covers the cycles before this one
    std::int64_t occupancy_groups_ = 0;
    StallStatistics stalls_;
};

void TimedCore::open(Slot& slot, WarpId id, double time)
{
    slot.id = id;
    slot.stream = run_.source.open(id.group, id.warp, run_.options.warp_size);
    slot.data = time;
    slot.ready = time;
    slot.age = opened_++;
    if (!slot.stream->next(slot.access)) {
        slot.stream.reset();
    }
}

void TimedCore::start_occupancy_group(double time)
{
    slots_.clear();
    for (const WarpId id : dispatch_.next_occupancy_group(occupancy_)) {
        open(slots_.emplace_back(), id, time);
    }
    occupancy_groups_ += slots_.empty() ? 0 : 1;
    last_ = slots_.empty() ? 0 : slots_.size() - 1;
    last_is_resident_ = false;
}

void TimedCore::hand_out(double time)
{
    while (!exhausted_) {
        Slot* free = nullptr;
        for (Slot& slot : slots_) {
            if (!slot.stream && slot.ready <= time && (free == nullptr || slot.ready < free->ready)) {
                free = &slot;
            }
        }
        if (free == nullptr) {
            return;
        }
        const auto id = dispatch_.next();
        if (!id) {
            exhausted_ = true;
            return;
        }
        last_is_resident_ = last_is_resident_ && free != &slots_[last_];
        open(*free, *id, free->ready);
    }
}

void TimedCore::plan()
{
    const bool batch = run_.options.group_schedule == GroupSchedule::batch;
    while (true) {
        double ready = never; // of a warp with an access to make
        double drained = 0;   // all data of the resident warps are there
        double freed = never; // first slot that a new warp can take
        for (const Slot& slot : slots_) {
            drained = std::max(drained, slot.ready);
            (slot.stream ? ready : freed) = std::min(slot.stream ? ready : freed, slot.ready);
        }
        next_issue_ = std::ceil(std::max({ready, port_free_, unit_free_})); // `never` where no warp is left
        if (!batch && !exhausted_ && freed < never && freed <= next_issue_) {
            hand_out(freed);
            continue;
        }
        if (ready < never) {
            return;
        }
        if (batch && !slots_.empty()) {
            start_occupancy_group(drained);
            continue;
        }
        return;
    }
}

std::size_t TimedCore::choose(double time) const
{
    const auto is_ready = [&](std::size_t i) { return slots_[i].stream && slots_[i].ready <= time; };
    const WarpSchedule schedule = run_.options.warp_schedule;
    if (schedule == WarpSchedule::lrr) {
        for (std::size_t i = 1; i <= slots_.size(); ++i) {
            if (const std::size_t slot = (last_ + i) % slots_.size(); is_ready(slot)) {
                return slot;
            }
        }
    }
    if (schedule == WarpSchedule::gto && last_is_resident_ && is_ready(last_)) {
        return last_;
    }
    std::size_t oldest = slots_.size();
    for (std::size_t i = 0; i < slots_.size(); ++i) {
        if (is_ready(i) && (oldest == slots_.size() || slots_[i].age < slots_[oldest].age)) {
            oldest = i;
        }
    }
    return oldest;
}

void TimedCore::account(const Slot& slot, std::int64_t time)
{
    // The cycles since the last issue, in the order in which the obstacles fall: arithmetic
    // on the issue port, no data, arithmetic of the first warp that has its data, texture unit.
    const auto up_to = [&](double end) {
        const std::int64_t stop = std::clamp(static_cast<std::int64_t>(std::ceil(end)), accounted_, time);
        return stop - std::exchange(accounted_, stop);
    };
    double first_data = slot.data;
    double first_ready = slot.ready;
    for (const Slot& other : slots_) {
        if (other.stream && other.ready < first_ready) {
            first_ready = other.ready;
            first_data = other.data;
        }
    }
    stalls_.alu_busy += up_to(port_free_);
    stalls_.waiting_for_data += up_to(first_data);
    stalls_.alu_busy += up_to(first_ready);
    const std::int64_t unit = up_to(static_cast<double>(time));
    const std::int64_t blocked = std::min(unit, static_cast<std::int64_t>(std::ceil(unit_blocked_)));
    stalls_.outstanding_misses += blocked;
    stalls_.texture_unit += unit - blocked;
    stalls_.issued += 1;
    accounted_ = time + 1;
}

void TimedCore::issue()
{
    const double time = next_issue_;
    const std::size_t chosen = choose(time);
    Slot& slot = slots_[chosen];
    account(slot, static_cast<std::int64_t>(time));

    const Timing& timing = run_.options.timing;
    const auto outcome = run_.access(number_, slot.id, slot.access);
    double unit_time = time; // when the texture unit takes the next lookup
    double data = time + static_cast<double>(timing.hit_latency.value);
    unit_blocked_ = 0;
    for (const LookupEvent& lookup : outcome.lookups) {
        const MissPath::Reply reply = misses_.request(lookup, unit_time, time);
        data = std::max(data, reply.arrival);
        unit_blocked_ += reply.departure - unit_time;
        unit_time = reply.departure + 1.0 / timing.lookups_per_cycle;
    }
    unit_free_ = unit_time;
    port_free_ = time + std::max(1.0, timing.alu_cycles_per_step);
    last_ = chosen;
    last_is_resident_ = true;
    slot.data = data;
    slot.ready = data + timing.alu_cycles_per_step;
    if (!slot.stream->next(slot.access)) {
        slot.stream.reset();
        finished_ = std::max(finished_, static_cast<std::int64_t>(std::ceil(slot.ready)));
    }
    plan();
}

} // namespace

void run_timed(Run& run)
{
    MissPath misses(run.options);
    std::vector<TimedCore> cores;
    cores.reserve(static_cast<std::size_t>(run.options.cores));
    for (int core = 0; core < run.options.cores; ++core) {
        cores.emplace_back(run, misses, core);
    }
    using Turn = std::pair<double, std::size_t>;
    std::priority_queue<Turn, std::vector<Turn>, std::greater<>> turns;
    const auto enqueue = [&](std::size_t core) {
        if (cores[core].next_issue() < never) {
            turns.emplace(cores[core].next_issue(), core);
        }
    };
    for (std::size_t core = 0; core < cores.size(); ++core) {
        enqueue(core);
    }
    while (!turns.empty()) {
        const std::size_t core = turns.top().second;
        turns.pop();
        cores[core].issue();
        enqueue(core);
    }
    std::int64_t end = 0;
    for (const TimedCore& core : cores) {
        end = std::max(end, core.finished());
    }
    for (const TimedCore& core : cores) {
        run.result.cores.push_back(core.result(end));
        run.result.groups += core.groups();
    }
    run.result.cycles = Cycles{end};
}

} // namespace texelscope
