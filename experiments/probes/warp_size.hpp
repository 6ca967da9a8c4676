#pragma once

#include "experiments/probes/probe.hpp"

namespace texelscope::experiments {

/// Work-items of a warp, by two methods that have to agree:
/// - arithmetic in many work-groups takes time in steps of whole warps as the groups grow (ArchProbe's method);
/// - work-items of a warp come to a shared counter one right after the other (Romou, listing 3); how many warps take turns
///   there is how many run together on a core.
[[nodiscard]] ProbeResult probe_warp_size(Target& target, const Known& known, const ProbeOptions& options);

} // namespace texelscope::experiments
