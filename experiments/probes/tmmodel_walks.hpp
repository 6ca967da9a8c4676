#pragma once

#include "experiments/probes/probe.hpp"

namespace texelscope::experiments {

/// TMModel 3.1, steps I and II: one work-item goes along random walks, each with a distribution of strides of its own, and
/// the time of an access is taken. The walks are calibration_walks() of the options' seed, of the sizes in
/// ProbeResult::given. How much a list of places adds to a read is measured along: the same texel again and again, from
/// a list and linked to itself.
[[nodiscard]] ProbeResult probe_tmmodel_walks(Target& target, const Known& known, const ProbeOptions& options);

} // namespace texelscope::experiments
