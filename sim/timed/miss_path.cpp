#include "sim/timed/miss_path.hpp"

#include <algorithm>
#include <iterator>

namespace texelscope::sim {

void FillsUnderWay::add(std::int64_t address, double arrival)
{
    if (2 * first_ > arrivals_.size()) {
        arrivals_.erase(arrivals_.begin(), arrivals_.begin() + static_cast<std::ptrdiff_t>(first_));
        first_ = 0;
    }
    auto place = arrivals_.end();
    while (place != arrivals_.begin() + static_cast<std::ptrdiff_t>(first_) && std::prev(place)->time > arrival) {
        --place;
    }
    arrivals_.insert(place, {arrival, address});
    latest_[address] = {arrival, 0};
}

void FillsUnderWay::release(double time)
{
    for (; size() > 0 && first_arrival() <= time; ++first_) {
        const std::int64_t address = arrivals_[first_].address;
        if (const auto fill = latest_.find(address); fill != latest_.end() && fill->second.arrival <= time) {
            latest_.erase(fill);
        }
    }
}

FillsUnderWay::Fill* FillsUnderWay::find(std::int64_t address)
{
    const auto fill = latest_.find(address);
    return fill == latest_.end() ? nullptr : &fill.value();
}

MissPath::MissPath(const SimulationOptions& options, bool images_in_l2)
    : l2_latency_(static_cast<double>(options.machine.l2().latency.value)),
      l2_bytes_per_cycle_(options.machine.l2().bytes_per_cycle),
      memory_latency_(static_cast<double>(options.machine.timing.memory_latency.value)),
      memory_bytes_per_cycle_(options.machine.timing.memory_bytes_per_cycle),
      has_l2_(options.machine.has_l2()), images_in_l2_(images_in_l2),
      l1_granule_(options.machine.l1().geometry.granule()),
      l2_granule_(options.machine.l2().geometry.granule())
{
    if (options.mode.simulated_cores) {
        const double share =
            static_cast<double>(*options.mode.simulated_cores) / options.machine.cores;
        l2_bytes_per_cycle_ *= share;
        memory_bytes_per_cycle_ *= share;
    }
}

double MissPath::from_memory(double time, Bytes bytes)
{
    const double start =
        memory_port_.book(time, static_cast<double>(bytes.value) / memory_bytes_per_cycle_);
    return start + memory_latency_;
}

void MissPath::announce(std::span<const TimedLookup> lookups)
{
    if (images_in_l2_) {
        return;
    }
    for (const TimedLookup& lookup : lookups) {
        if (has_l2_ && lookup.found == FoundIn::memory) {
            ++unfetched_[lookup.address / l2_granule_.value];
        }
    }
}

double MissPath::arrival(const TimedLookup& miss, double time)
{
    if (!has_l2_) {
        return from_memory(time, l1_granule_);
    }
    const std::int64_t line = miss.address / l2_granule_.value;
    const double start =
        l2_port_.book(time, static_cast<double>(l1_granule_.value) / l2_bytes_per_cycle_);
    l2_fills_.release(start);
    if (const auto unfetched = unfetched_.find(line); unfetched != unfetched_.end()) {
        if (--unfetched.value() == 0) {
            unfetched_.erase(unfetched);
        }
        const double filled = from_memory(start, l2_granule_);
        l2_fills_.add(line, filled);
        return filled;
    }
    const FillsUnderWay::Fill* const fill = l2_fills_.find(line);
    const double hit = start + l2_latency_;
    return fill == nullptr ? hit : std::max(hit, fill->arrival);
}

} // namespace texelscope::sim
