#pragma once

#include "workbench/probes/probe.hpp"

#include <string>
#include <vector>

namespace texelscope::workbench::probes {

/// Rates of a stream: elements that its work-items together read per nanosecond, a number for each
/// sample. Stream::reads is set here: it is doubled until the kernel takes long enough for the
/// clock. Only the second half of the reads counts, so that what happens at the start of a launch
/// (cold caches among it) does not. Samples in which the whole took no longer than the first half
/// are left out. Throws missing where most samples are such: the machine is busy, or the compiler
/// has moved the reads out of the loop.
[[nodiscard]] std::vector<double> stream_rates(Target& target, Stream stream,
                                               const ProbeOptions& options);

/// Adds the stream's rates, times `scale`, to the curve at `x`. Where a real device refuses the
/// stream or cannot tell its time, a note says so, nothing is added, and the result is false.
/// Errors of a simulated target are thrown on.
bool add_rates(ProbeCurve& curve, double x, double scale, Target& target, const Stream& stream,
               const ProbeOptions& options, std::vector<std::string>& notes);

/// Gives the stream enough work-items to keep all cores busy.
void fill_device(Stream& stream, const TargetInfo& info);

/// The point with the highest median. The curve must have points.
[[nodiscard]] const ProbePoint& fastest(const ProbeCurve& curve);

} // namespace texelscope::workbench::probes
