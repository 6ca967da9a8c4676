#pragma once

#include "experiments/probes/probe.hpp"

namespace texelscope::experiments {

/// The caches that reads of images go through (probe_cache_levels()).
[[nodiscard]] ProbeResult probe_texture_caches(Target& target, const Known& known, const ProbeOptions& options);

/// The caches that reads of buffers go through, and from these and those of images limits.buffer_l1: 0 where the first that
/// buffers meet is the second level of images, by its capacity and latency.
[[nodiscard]] ProbeResult probe_buffer_caches(Target& target, const Known& known, const ProbeOptions& options);

} // namespace texelscope::experiments
