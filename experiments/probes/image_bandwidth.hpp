#pragma once

#include "experiments/probes/probe.hpp"

namespace texelscope::experiments {

/// How fast images are read from each level: by all cores, and by fewer, which tells a port that all share from what each core
/// can have under way. Needs the caches' lines and capacities and warp.size.
[[nodiscard]] ProbeResult probe_image_bandwidth(Target& target, const Known& known, const ProbeOptions& options);

} // namespace texelscope::experiments
