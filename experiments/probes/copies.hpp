#pragma once

#include "experiments/probes/probe.hpp"

namespace texelscope::experiments {

/// Copies between host and device by size, both directions, to buffers and images: of each the rate (least time per further
/// byte) and the fixed cost, by a line through the times. Then how copying compares with computing for square SGEMMs whose
/// operands lie in buffers; that needs fp32.multiply_adds, and a note says so where it is not known.
[[nodiscard]] ProbeResult measure_copies(Target& target, const Known& known, const ProbeOptions& options);

} // namespace texelscope::experiments
