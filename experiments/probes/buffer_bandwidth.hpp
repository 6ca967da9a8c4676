#pragma once

#include "experiments/probes/probe.hpp"

namespace texelscope::experiments {

/// Bytes a second that all cores read from buffers, by the size of the array and by the width of the reads, and from constant
/// memory, where all work-items of a group read the same element or each its own. Bytes are those that work-items get.
[[nodiscard]] ProbeResult probe_buffer_bandwidth(Target& target, const Known& known, const ProbeOptions& options);

} // namespace texelscope::experiments
