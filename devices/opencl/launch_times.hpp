#pragma once

#include "base/layers.hpp"

#include <cstdint>
#include <vector>

// C++17: texelscope-agent is built from it, too.

namespace texelscope::devices {

/// The time of one launch, in ns, by two clocks: start and end as the device tells them, and how
/// long the host waited.
struct LaunchTime {
    std::uint64_t start; ///< start and end of the kernel, by event profiling
    std::uint64_t end;
    double wall; ///< from the call until the end was seen
};

/// Whether the device's times are plausible for these launches, each of which had ended before the
/// next one was enqueued. Some drivers make times up. They are implausible if a launch
/// - takes less than 10 ns, some tens of cycles of the fastest processor: reading memory once takes
///   longer;
/// - takes longer than the host waited for it, allowing for a disagreement of the two clocks (5 %)
///   and
///   `resolution_ns`, the step of the device's;
/// - begins before the one before it has ended, by more than that step.
[[nodiscard]] bool can_be_times(const std::vector<LaunchTime>& launches, double resolution_ns);

} // namespace texelscope::devices
