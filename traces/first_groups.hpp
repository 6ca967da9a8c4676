#pragma once

#include "traces/trace_source.hpp"

#include <cstdint>
#include <memory>

namespace texelscope::traces {

/// The work-groups of a source below number `end`. Can be read by several threads at once if the
/// source can.
[[nodiscard]] std::unique_ptr<TraceSource> first_groups(std::shared_ptr<const TraceSource> source,
                                                        std::int64_t end);

} // namespace texelscope::traces
