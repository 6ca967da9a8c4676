#pragma once

#include "base/layers.hpp"

#include <cstdint>
#include <vector>

// C++17: texelscope-agent is built from it, too.

namespace texelscope::devices {

/// When a launch was under way, in ns, by two clocks: the device tells when it began and ended, the
/// host has waited for it.
struct LaunchTime {
    std::uint64_t start; ///< of the kernel, by event profiling
    std::uint64_t end;
    double wall; ///< from the call until the end was seen
};

/// Whether the device's times can be those of these launches, of which each was over before the
/// next one was asked for. Some drivers make them up. They cannot be where a launch
/// - takes less than 10 ns, some tens of cycles of the fastest processor: reading memory once takes
///   longer;
/// - takes longer than the host waited for it, but for the two clocks' disagreement (5 %) and
///   `resolution_ns`, the step of the device's;
/// - begins before the one before it has ended, by more than that step.
[[nodiscard]] bool can_be_times(const std::vector<LaunchTime>& launches, double resolution_ns);

} // namespace texelscope::devices
