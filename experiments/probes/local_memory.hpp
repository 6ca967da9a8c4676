#pragma once

#include "experiments/probes/probe.hpp"

namespace texelscope::experiments {

/// Local memory: latency by a chase, over the size of the array, and bytes a second by the width of the reads.
[[nodiscard]] ProbeResult probe_local_memory(Target& target, const Known& known, const ProbeOptions& options);

} // namespace texelscope::experiments
