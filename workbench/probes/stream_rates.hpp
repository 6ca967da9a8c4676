#pragma once

#include "workbench/probes/probe.hpp"

#include <string>
#include <vector>

namespace texelscope::workbench::probes {

/// Elements that the work-items of a stream together read in a nanosecond, a number for each
/// sample. Stream::reads is set here: doubled until the kernel takes long enough for the clock. The
/// second half is what counts, so what a launch starts with, cold caches among it, does not.
/// Samples that took no longer than the first half alone are left out. Throws missing where most
/// are such: the machine is busy, or the compiler has taken the reads out of the loop.
[[nodiscard]] std::vector<double> stream_rates(Target& target, Stream stream,
                                               const ProbeOptions& options);

/// Adds the stream's rates times `scale` to the curve, at `x`. Where a device refuses the stream,
/// or cannot tell its time, a note says so, and nothing is added (false); a simulated target's
/// errors are thrown on.
bool add_rates(ProbeCurve& curve, double x, double scale, Target& target, const Stream& stream,
               const ProbeOptions& options, std::vector<std::string>& notes);

/// As many work-items as keep all cores busy.
void fill_device(Stream& stream, const TargetInfo& info);

/// The point with the highest median; of a curve with points.
[[nodiscard]] const ProbePoint& fastest(const ProbeCurve& curve);

} // namespace texelscope::workbench::probes
