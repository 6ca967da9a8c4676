#include "tests/sim/reference_memory.hpp"

#include <stdexcept>

namespace texelscope::test {
using namespace sim;

Tick ticks(double cycles)
{
    const auto whole = static_cast<Tick>(cycles * static_cast<double>(ticks_per_cycle));
    if (static_cast<double>(whole) != cycles * static_cast<double>(ticks_per_cycle)) {
        throw std::logic_error("not a multiple of a quarter cycle");
    }
    return whole;
}

ReferenceMemory::ReferenceMemory(const SimulationOptions& options)
{
    const CacheGeometry& l1 = options.machine.l1().geometry;
    std::int64_t asked = l1.sector.value > 0 ? l1.sector.value : l1.line.value;
    const auto add = [&](bool shared, std::int64_t granule, double bytes_per_cycle,
                         Cycles latency) {
        Level& level = levels_.emplace_back();
        level.shared = shared;
        level.granule = granule;
        level.service = ticks(static_cast<double>(asked) / bytes_per_cycle);
        level.latency = latency.value * ticks_per_cycle;
        level.stations.resize(shared ? 1 : static_cast<std::size_t>(options.machine.cores));
        if (level.service < 1) {
            throw std::logic_error("a port takes one transfer a quarter cycle at most");
        }
        asked = granule;
    };
    for (const CacheLevel& level : options.machine.caches) {
        const CacheGeometry& g = level.geometry;
        if (level.name != "L1" && g.capacity.value > 0) {
            add(level.shared, g.sector.value > 0 ? g.sector.value : g.line.value,
                level.bytes_per_cycle, level.latency);
        }
    }
    add(true, 1, options.machine.timing.memory_bytes_per_cycle,
        options.machine.timing.memory_latency);
}

void ReferenceMemory::announce(const LookupEvent& lookup)
{
    std::int64_t address = lookup.address;
    std::size_t level = 0;
    for (const LookupOutcome& outcome : lookup.behind) {
        address = address / levels_[level].granule * levels_[level].granule;
        if (!outcome.hit()) {
            ++station(level, lookup.core).announced[address];
        }
        ++level;
    }
}

bool ReferenceMemory::has_way(const LookupEvent& miss, Tick now) const
{
    for (std::size_t level = 0; level < miss.behind.size(); ++level) {
        if (!levels_[level].shared &&
            levels_[level].stations[static_cast<std::size_t>(miss.core)].busy_until > now) {
            return false;
        }
    }
    return true;
}

std::shared_ptr<ReferenceFill> ReferenceMemory::request(const LookupEvent& miss)
{
    const auto fill = std::make_shared<ReferenceFill>();
    fill->address = miss.address;
    // How far it goes is settled when it leaves its core: to the first level where nothing of its
    // line is announced.
    Request request{fill, miss.address, 0};
    std::int64_t address = miss.address;
    for (std::size_t level = 0; level + 1 < levels_.size(); ++level) {
        address = address / levels_[level].granule * levels_[level].granule;
        int& announced = station(level, miss.core).announced[address];
        if (announced == 0) {
            break;
        }
        --announced;
        request.found = level + 1;
    }
    station(0, miss.core).waiting.push_back(request);
    return fill;
}

void ReferenceMemory::serve(std::size_t number, int core, Tick now)
{
    const Level& level = levels_[number];
    Station& at = station(number, core);
    if (at.waiting.empty() || at.busy_until > now) {
        return;
    }
    const Request request = at.waiting.front();
    at.waiting.pop_front();
    at.busy_until = now + level.service;
    const std::int64_t address = request.address / level.granule * level.granule;
    if (request.found > number) {
        const auto line = std::make_shared<ReferenceFill>();
        at.fills[address] = line;
        request.fill->time = now;
        request.fill->after = line;
        station(number + 1, core).waiting.push_back({line, address, request.found});
    } else {
        request.fill->time = now + level.latency;
        request.fill->after = number + 1 < levels_.size() ? at.fills[address] : nullptr;
    }
}

void ReferenceMemory::tick(Tick now)
{
    for (std::size_t level = 0; level < levels_.size(); ++level) {
        for (std::size_t core = 0; core < levels_[level].stations.size(); ++core) {
            serve(level, static_cast<int>(core), now);
        }
    }
}

} // namespace texelscope::test
