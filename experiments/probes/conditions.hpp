#pragma once

#include "experiments/probes/probe.hpp"

namespace texelscope::experiments {

/// Clock and temperature before, during and after some seconds of arithmetic on all cores, as the system tells them; a note where it
/// does not.
[[nodiscard]] ProbeResult probe_conditions(Target& target, const Known& known, const ProbeOptions& options);

} // namespace texelscope::experiments
