#include "sim/timed/timed.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

// The timed mode: the cores' events are taken in the order of time (ties: see TimedCore::Event), so that the result does
// not depend on anything but the input.

namespace texelscope::sim {
namespace {

std::int64_t whole_cycle(double time)
{
    return static_cast<std::int64_t>(std::ceil(time));
}

/// The next event of each core that has one, as a binary heap: the first is at the front. One event is replaced for nearly
/// every lookup, which takes one way down, and none where the same core comes first again.
class EventQueue {
public:
    void push(const TimedCore::Event& event)
    {
        heap_.push_back(event);
        std::push_heap(heap_.begin(), heap_.end(), later);
    }
    [[nodiscard]] bool empty() const { return heap_.empty(); }
    [[nodiscard]] const TimedCore::Event& front() const { return heap_.front(); }
    /// Whether the event comes before all but the front one.
    [[nodiscard]] bool is_before_others(const TimedCore::Event& event) const
    {
        return (heap_.size() < 2 || event < heap_[1]) && (heap_.size() < 3 || event < heap_[2]);
    }
    void replace_front(const TimedCore::Event& event)
    {
        std::size_t hole = 0;
        for (std::size_t child = 1; child < heap_.size(); child = 2 * hole + 1) {
            if (child + 1 < heap_.size() && heap_[child + 1] < heap_[child]) {
                ++child;
            }
            if (!(heap_[child] < event)) {
                break;
            }
            heap_[hole] = heap_[child];
            hole = child;
        }
        heap_[hole] = event;
    }
    void pop_front()
    {
        std::pop_heap(heap_.begin(), heap_.end(), later);
        heap_.pop_back();
    }

private:
    static bool later(const TimedCore::Event& a, const TimedCore::Event& b) { return b < a; }

    std::vector<TimedCore::Event> heap_;
};

} // namespace

TimedCore::TimedCore(const SimulationOptions& options, int occupancy, TimedMemory& memory, MissPath& misses, int number,
                     std::shared_ptr<GroupQueue> groups)
    : options_(options), memory_(memory), misses_(misses), number_(number), dispatch_(std::move(groups)),
      occupancy_(static_cast<std::size_t>(occupancy)), scheduler_(options.warp_schedule, options.fetch_group),
      unit_(options.timing)
{
    if (!batch()) {
        packing_ = false;
        slots_.resize(occupancy_);
        scheduler_.restart(occupancy_);
    }
    plan();
}

std::optional<TimedCore::Event> TimedCore::next() const
{
    const double time = std::min({hand_out_, unit_.next_step(), next_issue_});
    if (time == TextureUnit::never) {
        return std::nullopt;
    }
    return Event{time, hand_out_ == time ? round_ : std::numeric_limits<int>::max(), number_};
}

void TimedCore::advance()
{
    const double time = std::min({hand_out_, unit_.next_step(), next_issue_});
    if (hand_out_ == time) {
        take_work();
    } else if (unit_.next_step() == time) {
        unit_.step(misses_);
        if (unit_.done()) {
            access_served();
        }
    } else {
        issue();
    }
}

double TimedCore::free_at() const
{
    return std::max(port_free_, unit_.free_at());
}

double TimedCore::next_hand_out() const
{
    if (exhausted_) {
        return TextureUnit::never;
    }
    double first = TextureUnit::never;
    double last = 0;
    for (const WarpSlot& slot : slots_) {
        const double free = slot.reads ? TextureUnit::never : slot.ready;
        first = std::min(first, free);
        last = std::max(last, free);
    }
    return batch() ? packing_ ? hand_out_ : last : first;
}

void TimedCore::plan()
{
    hand_out_ = next_hand_out();
    next_issue_ = packing_ ? TextureUnit::never : scheduler_.next_issue(slots_, free_at());
}

void TimedCore::open(WarpSlot& slot, WarpId id, double time)
{
    slot.reads = memory_.open(number_, id);
    slot.data = time;
    slot.ready = time;
    slot.age = opened_++;
    if (slot.reads) {
        residents_.enter(whole_cycle(time));
    }
}

void TimedCore::take_into_occupancy_group(double time)
{
    if (!packing_) {
        slots_.clear();
        packing_ = true;
    }
    const WarpDispatch::Part part = dispatch_.pack(slots_.size(), occupancy_);
    for (const WarpId id : part.warps) {
        open(slots_.emplace_back(), id, time);
    }
    if (!part.more) {
        packing_ = false;
        exhausted_ = slots_.empty();
        occupancy_groups_ += slots_.empty() ? 0 : 1;
        scheduler_.restart(slots_.size());
    }
}

void TimedCore::take_into_free_slots(double time)
{
    std::vector<std::size_t> free;
    for (std::size_t i = 0; i < slots_.size(); ++i) {
        if (!slots_[i].reads && slots_[i].ready <= time) {
            free.push_back(i);
        }
    }
    const std::vector<WarpId> warps = dispatch_.next_of_one_group(free.size());
    exhausted_ = warps.empty();
    for (std::size_t i = 0; i < warps.size(); ++i) {
        scheduler_.replaced(free[i]);
        open(slots_[free[i]], warps[i], time);
    }
}

void TimedCore::take_work()
{
    const double time = hand_out_;
    account_.up_to(time, port_free_, slots_, unit_);
    if (batch()) {
        take_into_occupancy_group(time);
    } else {
        take_into_free_slots(time);
    }
    plan();
    round_ = hand_out_ == time ? round_ + 1 : 0;
}

void TimedCore::issue()
{
    const double time = next_issue_;
    account_.up_to(time, port_free_, slots_, unit_);
    account_.issue(whole_cycle(time));
    issued_ = scheduler_.issue(slots_, free_at(), time);
    WarpSlot& slot = slots_[issued_];
    const std::span<const TimedLookup> lookups = slot.reads->look_up();
    misses_.announce(lookups);
    unit_.start(lookups, time);
    port_free_ = time + std::max(1.0, options_.timing.alu_cycles_per_step);
    slot.data = TextureUnit::never;
    slot.ready = TextureUnit::never;
    if (slot.reads->done()) {
        slot.reads.reset();
    }
    if (unit_.done()) {
        access_served(); // nothing to look up: all lanes read outside of their images
    } else {
        plan();
    }
}

void TimedCore::access_served()
{
    WarpSlot& slot = slots_[issued_];
    slot.data = unit_.data_at();
    slot.ready = slot.data + options_.timing.alu_cycles_per_step;
    if (!slot.reads) {
        finished_ = std::max(finished_, whole_cycle(slot.ready));
        residents_.leave(whole_cycle(slot.ready));
    }
    plan();
}

CoreResult TimedCore::result(std::int64_t end) const
{
    StallAccount account = account_;
    account.up_to(static_cast<double>(finished_), port_free_, slots_, unit_);
    CoreResult result;
    result.warps = dispatch_.warps();
    result.occupancy_groups = occupancy_groups_;
    result.cycles = Cycles{finished_};
    result.stalls = account.until(end);
    result.reservation_failures = unit_.failures();
    result.occupancy_over_time = residents_.result();
    return result;
}

void run_timed(const TraceSource& source, const SimulationOptions& options, TimedMemory& memory,
               SimulationResult& result)
{
    MissPath misses(options);
    const auto shared = std::make_shared<GroupQueue>(source, options.warp_size);
    std::deque<TimedCore> cores;
    for (int core = 0; core < options.cores; ++core) {
        cores.emplace_back(options, result.occupancy.warps, memory, misses, core,
                           options.dispatch == Dispatch::dynamic
                               ? shared
                               : std::make_shared<GroupQueue>(source, options.warp_size, core, options.cores));
    }
    EventQueue events;
    for (const TimedCore& core : cores) {
        if (const auto event = core.next()) {
            events.push(*event);
        }
    }
    while (!events.empty()) {
        TimedCore& core = cores[static_cast<std::size_t>(events.front().core)];
        auto event = core.next();
        while (event && events.is_before_others(*event)) {
            core.advance();
            event = core.next();
        }
        if (event) {
            events.replace_front(*event);
        } else {
            events.pop_front();
        }
    }
    std::int64_t end = 0;
    for (const TimedCore& core : cores) {
        end = std::max(end, core.finished());
    }
    for (const TimedCore& core : cores) {
        result.cores.push_back(core.result(end));
        result.groups += core.groups();
    }
    result.cycles = Cycles{end};
}

} // namespace texelscope::sim
