#pragma once

#include "base/layers.hpp"
#include "model/bottleneck/bottleneck.hpp"

#include <vector>

namespace texelscope::workbench::study {

/// Something that decides a part of a kernel's cycles.
struct Bottleneck {
    const char* words; ///< "the bandwidth of L2"
    double cycles = 0; ///< of the launch, that it decides
};

/// All of them, always in the same order. Their cycles sum up to the cost's, but for rounding.
[[nodiscard]] std::vector<Bottleneck> bottlenecks(const BottleneckCost& cost);
/// The one that decides most; of several, the first.
[[nodiscard]] Bottleneck largest_bottleneck(const BottleneckCost& cost);

} // namespace texelscope::workbench::study
