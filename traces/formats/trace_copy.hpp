#pragma once

#include "traces/native/trace_file.hpp"
#include "traces/native/trace_writer.hpp"
#include "traces/trace_source.hpp"

#include <string>

namespace texelscope::traces {

/// The highest number of a work-item in its group that reads something, plus one.
[[nodiscard]] std::int64_t reading_items(const TraceSource& source);

/// The launch that a source describes; where it has no geometry, groups and work-items along x
/// alone.
[[nodiscard]] TracedLaunch traced_launch(const TraceSource& source);

/// Writes a source as one launch; reads of a step are in the order of work-items. Returns the
/// number of reads.
std::int64_t write_native(TraceWriter& writer, const TraceSource& source,
                          const TracedLaunch& launch);

/// Writes a launch of another file again.
void copy_launch(TraceWriter& writer, const TraceFile& file, int launch);

enum class Compared {
    all,
    accesses ///< what the work-items did: not sizes and names, images and buffers by their number
};
/// The first difference between two traces, in words; empty where they are the same. The programs
/// may differ.
[[nodiscard]] std::string first_difference(const TraceFile& a, const TraceFile& b,
                                           Compared compared = Compared::all);

} // namespace texelscope::traces
