#include "sim/timed/timed.hpp"

#include "sim/memory/image_storage.hpp"
#include "sim/options/occupancy.hpp"
#include "sim/timed/store_sectors.hpp"
#include "sim/timed/timed_core.hpp"
#include "traces/launch.hpp"

#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

// The timed mode: the cores' events are taken in the order of time (ties: see TimedCore::Event), so
// that the result does not depend on anything but the input.

namespace texelscope::sim {
namespace {

/// The next event of each core that has one, as a binary heap with the earliest event at the front.
/// Nearly every lookup replaces the front event. That takes a single way down the heap, and none at
/// all where the same core comes first again (is_before_others()).
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

/// Bytes that a launch reads from and writes to.
Bytes footprint(const TraceSource& source, const SimulationOptions& options)
{
    Bytes bytes = storage_size(store_images(source.images(), options));
    if (const Launch* const launch = source.launch(); launch != nullptr && launch->output) {
        bytes.value += storage_size(store_images({&*launch->output, 1}, options)).value;
    }
    return bytes;
}

} // namespace

std::optional<std::size_t> warm_level(const TraceSource& source, const SimulationOptions& options)
{
    if (!options.mode.warm_l2) {
        return std::nullopt; // and its footprint need not be known
    }
    return warm_level(static_cast<double>(footprint(source, options).value), options);
}

std::optional<std::size_t> warm_level(double bytes, const SimulationOptions& options)
{
    if (!options.mode.warm_l2) {
        return std::nullopt;
    }
    std::size_t number = 0; // of a level among those that are there
    for (const CacheLevel& level : options.machine.caches) {
        if (!level.is_there()) {
            continue;
        }
        if (number > 0 && level.shared &&
            bytes <= static_cast<double>(level.geometry.capacity.value)) {
            return number;
        }
        ++number;
    }
    return std::nullopt;
}

void run_timed(const TraceSource& source, const SimulationOptions& options, TimedMemory& memory,
               SimulationResult& result, TimedObserver* observer)
{
    if (source.launch() != nullptr && has_barriers(source.launch()->body)) {
        require_room_for_group(result.occupancy, options);
    }
    std::optional<StoreSectors> stores;
    if (source.launch() != nullptr) {
        stores.emplace(*source.launch(), options);
    }
    const WarpCode code(source.launch(), options, stores ? &*stores : nullptr);
    MissPath misses(options, warm_level(source, options));
    const auto shared = std::make_shared<GroupQueue>(source, options.machine.warp_size);
    std::deque<TimedCore> cores;
    const int count = options.mode.simulated_cores.value_or(options.machine.cores);
    for (int core = 0; core < count; ++core) {
        const bool any_core = options.machine.dispatch == Dispatch::dynamic;
        cores.emplace_back(TimedCore::Setup{
            .options = options,
            .number = core,
            .occupancy = result.occupancy.warps,
            .code = code,
            .memory = memory,
            .misses = misses,
            .groups = any_core ? shared
                               : std::make_shared<GroupQueue>(source, options.machine.warp_size,
                                                              core, options.machine.cores),
            .observer = observer});
    }
    EventQueue events;
    for (const TimedCore& core : cores) {
        if (const auto event = core.next()) {
            events.push(*event);
        }
    }
    while (!events.empty()) {
        // Let the earliest core go on for as long as it stays ahead of the others, without touching
        // the heap.
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
