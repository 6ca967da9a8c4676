#pragma once

#include "traces/launch.hpp"
#include "traces/trace_source.hpp"

#include <memory>

namespace texelscope::traces {

/// Generates the trace of a launch from its access functions, one warp access at a time: memory
/// does not depend on the length of the trace.
[[nodiscard]] std::unique_ptr<TraceSource> make_trace_source(Launch launch);

} // namespace texelscope::traces
