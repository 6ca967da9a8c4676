#include "workbench/study/bottlenecks.hpp"

#include "base/lists.hpp"

#include <algorithm>

namespace texelscope::workbench::study {

std::vector<Bottleneck> bottlenecks(const BottleneckCost& cost)
{
    std::vector<Bottleneck> all{{"the latency of a single warp", cost.latency},
                                {"instruction issue", cost.issue},
                                {"the texture unit", cost.texture_unit}};
    for (std::size_t level = 1; level < cost.levels.size(); ++level) {
        all.push_back(
            {"the bandwidth of " + cost.levels[level].name, cost.levels[level].bandwidth});
    }
    all.insert(all.end(), {{"the bandwidth of memory", cost.memory_bandwidth},
                           {"misses under way", cost.outstanding_misses},
                           {"writes", cost.stores},
                           {"local memory", cost.local_memory}});
    return all;
}

Bottleneck largest_bottleneck(const BottleneckCost& cost)
{
    const std::vector<Bottleneck> all = bottlenecks(cost);
    return *std::ranges::max_element(all, {}, &Bottleneck::cycles);
}

std::vector<TimePart> time_parts(const BottleneckCost& cost, const Machine& machine)
{
    const double ns_per_cycle = 1000.0 / machine.timing.clock_mhz;
    std::vector<TimePart> parts = mapped(bottlenecks(cost), [&](const Bottleneck& each) {
        return TimePart{each.words, Nanoseconds{each.cycles * ns_per_cycle}};
    });
    parts.push_back({"the launch", Nanoseconds{machine.timing.launch_ns}});
    return parts;
}

const TimePart* largest_part(const std::vector<TimePart>& parts)
{
    const auto most =
        std::ranges::max_element(parts, {}, [](const TimePart& part) { return part.time.value; });
    return most == parts.end() ? nullptr : &*most;
}

} // namespace texelscope::workbench::study
