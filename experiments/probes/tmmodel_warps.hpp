#pragma once

#include "experiments/probes/probe.hpp"

namespace texelscope::experiments {

/// TMModel 3.2.1: one warp of 1, 2, .. warp size lanes streams through texels of its own in five patterns; the time of a
/// step. The streams are calibration_streams() of ProbeResult::given. A real device's launch of a single step is
/// taken off. Needs warp.size; l2.capacity, where it is known, says how much has to be streamed.
[[nodiscard]] ProbeResult probe_tmmodel_warps(Target& target, const Known& known, const ProbeOptions& options);

} // namespace texelscope::experiments
