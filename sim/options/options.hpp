#pragma once

#include "sim/options/kernel_demand.hpp"
#include "sim/options/machine.hpp"
#include "sim/options/run_mode.hpp"

namespace texelscope::sim {

/// Everything that the simulator consumes beside the trace, by who says it:
///
///   machine  what the device is: its profile              devices/profile
///   kernel   what the kernel asks of a core               devices/launch, from the loop nest
///   mode     how the simulation is run, and what is asked  the caller
///
/// The three know nothing of each other; validate() asks whether they are in range and go together,
/// and whoever simulates calls it first. What is not known, not limiting or not there is an empty
/// optional, never a number: only the texts of settings() write it as 0. A function that needs only
/// one of the three takes that one, and includes its header alone.
struct SimulationOptions {
    Machine machine;
    KernelDemand kernel;
    RunMode mode;

    bool operator==(const SimulationOptions&) const = default;
};

/// The cache of the first level that reads of an image, or of a buffer, meet; nothing where they
/// meet none.
[[nodiscard]] std::optional<CacheGeometry> first_level(const Machine& machine,
                                                       const BufferPath& buffers, bool buffer);

/// The device as chases and probes meet it: each read waits for the one before, and nothing counts
/// but caches, latencies and bandwidths.
[[nodiscard]] SimulationOptions one_read_at_a_time(SimulationOptions options);

/// Throws bad_input where the options do not fit together.
void validate(const SimulationOptions& options);

} // namespace texelscope::sim
