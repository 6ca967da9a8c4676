#include "sim/options/machine.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <numeric>

namespace texelscope::sim {

CacheLevel* Machine::find(std::string_view name)
{
    const auto found = std::ranges::find(caches, name, &CacheLevel::name);
    return found == caches.end() ? nullptr : &*found;
}

const CacheLevel* Machine::find(std::string_view name) const
{
    const auto found = std::ranges::find(caches, name, &CacheLevel::name);
    return found == caches.end() ? nullptr : &*found;
}

std::vector<CacheLevel> Machine::levels() const
{
    std::vector<CacheLevel> there;
    std::ranges::copy_if(caches, std::back_inserter(there), &CacheLevel::is_there);
    return there;
}

std::int64_t Machine::common_line() const
{
    std::int64_t line = 1;
    for (const CacheLevel& level : levels()) {
        line = std::lcm(line, level.geometry.line.value);
    }
    return line;
}

bool Machine::goes_past_l1() const
{
    return std::any_of(caches.begin() + 1, caches.end(), std::mem_fn(&CacheLevel::is_there));
}

const CacheLevel& Machine::shared_level() const
{
    const auto there = std::ranges::find_if(
        caches, [](const CacheLevel& level) { return level.shared && level.is_there(); });
    return there != caches.end() ? *there : l2();
}

ReadService Machine::service_of(bool buffer) const
{
    ReadService service{.lookups_per_cycle = timing.lookups_per_cycle,
                        .lanes = timing.texture_lanes,
                        .block = timing.texture_block,
                        .returned = timing.texture_return};
    if (!buffer) {
        return service;
    }
    const BufferReads& own = timing.buffers;
    if (own.latency) {
        service.sooner = static_cast<double>(l1().latency.value) - *own.latency;
    }
    service.lookups_per_cycle = own.lookups_per_cycle.value_or(service.lookups_per_cycle);
    if (own.lanes) {
        service.lanes = own.lanes;
        service.block = own.block;
    }
    service.returned = own.returned ? own.returned : service.returned;
    return service;
}

const CacheLevel& Machine::behind_l1() const
{
    const auto behind =
        std::find_if(caches.begin() + 1, caches.end(), std::mem_fn(&CacheLevel::is_there));
    return behind == caches.end() ? l1() : *behind;
}

const CacheLevel& Machine::last_level() const
{
    return *std::find_if(caches.rbegin(), caches.rend(), std::mem_fn(&CacheLevel::is_there));
}

} // namespace texelscope::sim
