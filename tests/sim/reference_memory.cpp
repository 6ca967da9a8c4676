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
    const auto add = [&](bool shared, std::int64_t granule, double bytes_per_cycle, Cycles latency,
                         std::optional<int> banks, std::int64_t line) {
        Level& level = levels_.emplace_back();
        level.shared = shared;
        level.granule = granule;
        level.line = line;
        level.service = ticks(static_cast<double>(asked) / bytes_per_cycle * banks.value_or(1));
        level.latency = latency.value * ticks_per_cycle;
        level.stations.resize(shared ? 1 : static_cast<std::size_t>(options.machine.cores));
        for (Station& station : level.stations) {
            station.banks.resize(static_cast<std::size_t>(banks.value_or(1)));
        }
        if (level.service < 1) {
            throw std::logic_error("a port takes one transfer a quarter cycle at most");
        }
        asked = granule;
    };
    for (const CacheLevel& level : options.machine.caches) {
        const CacheGeometry& g = level.geometry;
        if (level.name != "L1" && g.capacity.value > 0) {
            add(level.shared, g.sector.value > 0 ? g.sector.value : g.line.value,
                level.bytes_per_cycle, level.latency, level.banks, g.line.value);
        }
    }
    const Timing& timing = options.machine.timing;
    add(true, 1, timing.memory_bytes_per_cycle, timing.memory_latency, timing.memory_channels,
        timing.memory_interleave.value);
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
    std::int64_t address = miss.address;
    for (std::size_t number = 0; number < miss.behind.size(); ++number) {
        const Level& level = levels_[number];
        if (!level.shared) {
            const auto& banks = level.stations[static_cast<std::size_t>(miss.core)].banks;
            const auto bank = static_cast<std::size_t>(address / level.line) % banks.size();
            if (banks[bank].busy_until > now) {
                return false;
            }
        }
        address = address / level.granule * level.granule;
    }
    return true;
}

std::shared_ptr<ReferenceFill> ReferenceMemory::request(const LookupEvent& miss)
{
    const auto fill = std::make_shared<ReferenceFill>();
    fill->address = miss.address;
    // How far it goes is settled when it leaves its core: to the first level where nothing of its
    // line is announced.
    Request request{fill, miss.address, 0, nullptr};
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
    enter(0, miss.core, request);
    return fill;
}

void ReferenceMemory::enter(std::size_t number, int core, Request request)
{
    Station& at = station(number, core);
    const auto bank =
        static_cast<std::size_t>(request.address / levels_[number].line) % at.banks.size();
    if (request.found > number) {
        request.served = std::make_shared<bool>(false);
        const auto line = std::make_shared<ReferenceFill>();
        const std::int64_t address =
            request.address / levels_[number].granule * levels_[number].granule;
        request.fill->after = line;
        at.onward.push_back({{line, address, request.found, nullptr}, request.served});
    }
    at.banks[bank].waiting.push_back(request);
}

void ReferenceMemory::serve(std::size_t number, int core, Bank& bank, Tick now)
{
    const Level& level = levels_[number];
    Station& at = station(number, core);
    if (bank.waiting.empty() || bank.busy_until > now) {
        return;
    }
    const Request request = bank.waiting.front();
    bank.waiting.pop_front();
    bank.busy_until = now + level.service;
    const std::int64_t address = request.address / level.granule * level.granule;
    if (request.found > number) {
        at.fills[address] = request.fill->after;
        request.fill->time = now;
        *request.served = true;
    } else {
        request.fill->time = now + level.latency;
        request.fill->after = number + 1 < levels_.size() ? at.fills[address] : nullptr;
    }
}

void ReferenceMemory::pass_on(std::size_t number, int core)
{
    Station& at = station(number, core);
    while (!at.onward.empty() && *at.onward.front().served) {
        enter(number + 1, core, at.onward.front().request);
        at.onward.pop_front();
    }
}

void ReferenceMemory::tick(Tick now)
{
    for (std::size_t level = 0; level < levels_.size(); ++level) {
        for (std::size_t core = 0; core < levels_[level].stations.size(); ++core) {
            for (Bank& bank : levels_[level].stations[core].banks) {
                serve(level, static_cast<int>(core), bank, now);
            }
            pass_on(level, static_cast<int>(core));
        }
    }
}

} // namespace texelscope::test
