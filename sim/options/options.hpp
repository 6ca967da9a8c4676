#pragma once

#include "sim/options/kernel_demand.hpp"
#include "sim/options/machine.hpp"
#include "sim/options/run_mode.hpp"

namespace texelscope::sim {

/// Everything that the simulator consumes beside the trace, by who says it: the device's profile, the kernel, the caller. The
/// three know nothing of each other, and validate() asks whether they go together. A function that needs only one of them takes
/// that one.
struct SimulationOptions {
    Machine machine;
    KernelDemand kernel;
    RunMode mode;

    bool operator==(const SimulationOptions&) const = default;
};

/// The cache of the first level that reads of an image, or of a buffer, meet; nothing where they meet none.
[[nodiscard]] std::optional<CacheGeometry> first_level(const Machine& machine,
                                                       const BufferPath& buffers, bool buffer);

/// The device as chases and probes meet it: each read waits for the one before, and nothing counts but caches, latencies and
/// bandwidths.
[[nodiscard]] SimulationOptions one_read_at_a_time(SimulationOptions options);

/// Throws bad_input where the options do not fit together.
void validate(const SimulationOptions& options);

} // namespace texelscope::sim
