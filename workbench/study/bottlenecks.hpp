#pragma once

#include "base/units.hpp"
#include "model/bottleneck/bottleneck.hpp"

#include <cstdint>
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

/// A part of the time of one or several kernels, with a name.
struct TimePart {
    std::string name;
    Nanoseconds time{0};
    std::int64_t kernels = 1; ///< how many kernels it is a part of
};
/// The time of a kernel by the bottleneck model, in parts: each of bottlenecks(), and the launch.
/// They sum up to the time, up to rounding.
[[nodiscard]] std::vector<TimePart> time_parts(const BottleneckCost& cost, const Machine& machine);
/// The largest part; of several equal ones, the first. Null where there is none.
[[nodiscard]] const TimePart* largest_part(const std::vector<TimePart>& parts);

} // namespace texelscope::workbench::study
