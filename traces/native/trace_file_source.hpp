#pragma once

#include "traces/native/trace_chunks.hpp"
#include "traces/trace_source.hpp"

#include <cstdint>
#include <memory>

namespace texelscope::traces {

/// The image reads of a launch of a native trace file, lazily. Images with several slices or layers have no place in it
/// and are left out.
[[nodiscard]] std::unique_ptr<TraceSource> make_trace_source(std::shared_ptr<const TraceChunks> chunks, int launch);

/// How many reads are left out.
[[nodiscard]] std::int64_t left_out(const TraceChunks::LaunchChunks& launch);

} // namespace texelscope::traces
