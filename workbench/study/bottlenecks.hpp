#pragma once

#include "base/layers.hpp"
#include "model/bottleneck/bottleneck.hpp"

#include <string>
#include <vector>

namespace texelscope::workbench::study {

/// A resource of the device that limits a kernel for a part of its cycles.
struct Bottleneck {
    std::string words; ///< "the bandwidth of L2"
    double cycles = 0; ///< cycles of the launch in which it is the limit
};

/// All bottlenecks, always in the same order. Their cycles sum up to the cost's, up to rounding.
[[nodiscard]] std::vector<Bottleneck> bottlenecks(const BottleneckCost& cost);
/// The bottleneck with the most cycles; of several with equally many, the first.
[[nodiscard]] Bottleneck largest_bottleneck(const BottleneckCost& cost);

} // namespace texelscope::workbench::study
