#include "sim/timed/miss_path.hpp"

#include <algorithm>

namespace texelscope::sim {

void FillsUnderWay::add(std::int64_t address, double arrival)
{
    // Drop the arrivals that are over once they are the larger half: amortised constant time.
    if (2 * first_ > arrivals_.size()) {
        arrivals_.erase(arrivals_.begin(), arrivals_.begin() + static_cast<std::ptrdiff_t>(first_));
        first_ = 0;
    }
    auto place = arrivals_.end();
    if (size() > 0 && arrivals_.back().time > arrival) {
        place = std::upper_bound(
            arrivals_.begin() + static_cast<std::ptrdiff_t>(first_), place, arrival,
            [](double time, const Arrival& other) { return time < other.time; });
    }
    arrivals_.insert(place, {arrival, address});
    latest_[address] = {arrival, 0};
}

void FillsUnderWay::release(double time)
{
    for (; size() > 0 && first_arrival() <= time; ++first_) {
        const std::int64_t address = arrivals_[first_].address;
        // The line may have a second, later fill, which must stay.
        if (const auto fill = latest_.find(address);
            fill != latest_.end() && fill->second.arrival <= time) {
            latest_.erase(fill);
        }
    }
}

FillsUnderWay::Fill* FillsUnderWay::find(std::int64_t address)
{
    const auto fill = latest_.find(address);
    return fill == latest_.end() ? nullptr : &fill.value();
}

MissPath::MissPath(const SimulationOptions& options, std::optional<std::size_t> images_in)
    : images_in_(images_in), from_memory_(options.machine.last_level().geometry.granule().value),
      memory_latency_(static_cast<double>(options.machine.timing.memory_latency.value)),
      memory_bytes_per_cycle_(options.machine.timing.memory_bytes_per_cycle),
      interleave_(options.machine.timing.memory_interleave.value),
      store_bytes_per_cycle_(options.machine.store_bandwidth())
{
    const Machine& machine = options.machine;
    const int simulated = options.mode.simulated_cores.value_or(machine.cores);
    // Where only some cores are simulated, they get their part of the bandwidth that all share.
    const double share = static_cast<double>(simulated) / machine.cores;
    std::int64_t asked = machine.l1().geometry.granule().value;
    const std::vector<CacheLevel> levels = machine.levels();
    for (std::size_t number = 1; number < levels.size(); ++number) {
        const CacheLevel& level = levels[number];
        const std::int64_t granule = level.geometry.granule().value;
        Level& out = levels_.emplace_back();
        out.shared = level.shared;
        out.granule = granule;
        const int banks = level.banks.value_or(1);
        out.busy = static_cast<double>(asked) /
                   (level.bytes_per_cycle * (level.shared ? share : 1) / banks);
        out.line = level.geometry.line.value;
        out.latency = static_cast<double>(level.latency.value);
        out.stations.resize(level.shared ? 1 : static_cast<std::size_t>(machine.cores));
        for (Station& station : out.stations) {
            station.banks.resize(static_cast<std::size_t>(banks));
        }
        own_ += level.shared ? 0 : 1;
        asked = granule;
    }
    memory_bytes_per_cycle_ *= share;
    const int channels = machine.timing.memory_channels.value_or(1);
    memory_.resize(static_cast<std::size_t>(channels));
    memory_busy_ = static_cast<double>(from_memory_) / (memory_bytes_per_cycle_ / channels);
    store_bytes_per_cycle_ *= share;
}

void MissPath::announce(int core, std::span<const TimedLookup> lookups)
{
    // The level images_in_ holds all images from the launch before, even where its simulated tags
    // say that a line is missing. So only fills of the levels before it are announced.
    const std::size_t known = std::min(images_in_.value_or(levels_.size() + 1) - 1, levels_.size());
    for (const TimedLookup& lookup : lookups) {
        std::int64_t address = lookup.address;
        for (std::size_t level = 0; level < known && lookup.found > level + 1; ++level) {
            const std::int64_t line = address / levels_[level].granule;
            ++levels_[level].of(core).unfetched[line];
            address = line * levels_[level].granule;
        }
    }
}

double MissPath::free_at(int core, const TimedLookup& miss) const
{
    double free = 0;
    std::int64_t address = miss.address;
    for (std::size_t level = 0; level < own_ && level < miss.found; ++level) {
        const Level& own = levels_[level];
        free = std::max(free, bank_of(own.of(core).banks, address, own.line).free_at());
        address = address / own.granule * own.granule;
    }
    return free;
}

double MissPath::arrival(int core, const TimedLookup& miss, double time)
{
    return fetch(0, core, miss.address, time);
}

double MissPath::fetch(std::size_t number, int core, std::int64_t address, double time)
{
    if (number == levels_.size()) {
        return bank_of(memory_, address, interleave_).book(time, memory_busy_) + memory_latency_;
    }
    Level& level = levels_[number];
    Station& station = level.of(core);
    const double start = bank_of(station.banks, address, level.line).book(time, level.busy);
    station.fills.release(time); // later requests may start earlier, at another bank
    const std::int64_t line = address / level.granule;
    // An announced fill of this line has not started: this request is the first, so it fetches.
    if (const auto unfetched = station.unfetched.find(line); unfetched != station.unfetched.end()) {
        if (--unfetched.value() == 0) {
            station.unfetched.erase(unfetched);
        }
        station.passed_on = std::max(station.passed_on, start);
        const double filled = fetch(number + 1, core, line * level.granule, station.passed_on);
        station.fills.add(line, filled);
        return filled;
    }
    // The level has the tag: a hit, but its data may still be on their way.
    const FillsUnderWay::Fill* const fill = station.fills.find(line);
    const double hit = start + level.latency;
    return fill == nullptr ? hit : std::max(hit, fill->arrival);
}

} // namespace texelscope::sim
