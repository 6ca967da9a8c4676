#pragma once

#include "experiments/probes/probe.hpp"

namespace texelscope::experiments {

/// Multiply-adds from registers a second by vector width and storage, all cores busy; where the clock is known, lanes of a
/// core that work together: multiply-adds a cycle and core.
[[nodiscard]] ProbeResult probe_arithmetic(Target& target, const Known& known, const ProbeOptions& options);

} // namespace texelscope::experiments
