#include "workbench/study/bottlenecks.hpp"

#include <algorithm>

namespace texelscope::workbench::study {

std::vector<Bottleneck> bottlenecks(const BottleneckCost& cost)
{
    return {{"the latency of a single warp", cost.latency},
            {"instruction issue", cost.issue},
            {"the texture unit", cost.texture_unit},
            {"the bandwidth of L2", cost.l2_bandwidth},
            {"the bandwidth of memory", cost.memory_bandwidth},
            {"misses under way", cost.outstanding_misses},
            {"writes", cost.stores},
            {"local memory", cost.local_memory}};
}

Bottleneck largest_bottleneck(const BottleneckCost& cost)
{
    const std::vector<Bottleneck> all = bottlenecks(cost);
    return *std::ranges::max_element(all, {}, &Bottleneck::cycles);
}

} // namespace texelscope::workbench::study
