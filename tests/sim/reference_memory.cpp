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

ReferenceMemory::ReferenceMemory(const SimulationOptions& options) : options_(options)
{
    const auto l1_bytes = static_cast<double>(options.machine.l1().geometry.granule().value);
    const auto l2_bytes = static_cast<double>(options.machine.l2().geometry.granule().value);
    memory_service_ = ticks((options.machine.has_l2() ? l2_bytes : l1_bytes) /
                            options.machine.timing.memory_bytes_per_cycle);
    l2_service_ =
        options.machine.has_l2() ? ticks(l1_bytes / options.machine.l2().bytes_per_cycle) : 1;
    if (memory_service_ < 1 || l2_service_ < 1) {
        throw std::logic_error("a port takes one transfer a quarter cycle at most");
    }
}

void ReferenceMemory::announce(const LookupEvent& lookup)
{
    if (lookup.l2 && !lookup.l2->hit()) {
        ++announced_[lookup.address / options_.machine.l2().geometry.granule().value];
    }
}

std::shared_ptr<ReferenceFill> ReferenceMemory::request(const LookupEvent& miss)
{
    const auto fill = std::make_shared<ReferenceFill>();
    fill->address = miss.address;
    Request request{fill, 0, true};
    if (!options_.machine.has_l2()) {
        memory_.waiting.push_back(request);
        return fill;
    }
    request.l2_line = miss.address / options_.machine.l2().geometry.granule().value;
    request.from_memory = announced_[request.l2_line] > 0;
    announced_[request.l2_line] -= request.from_memory ? 1 : 0;
    l2_.waiting.push_back(request);
    return fill;
}

void ReferenceMemory::tick(Tick now)
{
    if (!l2_.waiting.empty() && l2_.busy_until <= now) {
        const Request request = l2_.waiting.front();
        l2_.waiting.pop_front();
        l2_.busy_until = now + l2_service_;
        if (request.from_memory) {
            const auto line = std::make_shared<ReferenceFill>();
            l2_fills_[request.l2_line] = line;
            request.fill->time = now;
            request.fill->after = line;
            memory_.waiting.push_back({line, 0, true});
        } else {
            request.fill->time = now + options_.machine.l2().latency.value * ticks_per_cycle;
            request.fill->after = l2_fills_[request.l2_line];
        }
    }
    if (!memory_.waiting.empty() && memory_.busy_until <= now) {
        memory_.waiting.front().fill->time =
            now + options_.machine.timing.memory_latency.value * ticks_per_cycle;
        memory_.waiting.pop_front();
        memory_.busy_until = now + memory_service_;
    }
}

} // namespace texelscope::test
