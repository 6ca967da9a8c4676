#pragma once

#include "experiments/probes/probe.hpp"

#include <vector>

namespace texelscope {

/// Elements that the work-items of a stream together read in a nanosecond, a number for each sample. Stream::reads is set here:
/// doubled until the kernel takes long enough for the clock. The second half is what counts, so what a launch starts with, cold
/// caches among it, does not.
[[nodiscard]] std::vector<double> stream_rates(Target& target, Stream stream, const ProbeOptions& options);

/// As many work-items as keep all cores busy.
void fill_device(Stream& stream, const TargetInfo& info);

/// The same times `bytes`: GB/s.
[[nodiscard]] std::vector<double> scaled(std::vector<double> rates, double bytes);

} // namespace texelscope
