#pragma once

#include "experiments/probes/probe.hpp"

namespace texelscope::experiments {

/// What the host pays: the time from the call to the end of a kernel that does nothing, and copies (measure_copies()).
[[nodiscard]] ProbeResult probe_host(Target& target, const Known& known, const ProbeOptions& options);

} // namespace texelscope::experiments
