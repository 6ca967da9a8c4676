#pragma once

#include "traces/trace_source.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace texelscope::traces {

/// One row of the plain trace format: header `group,item,step,image,x,y`.
struct TraceRow {
    std::int64_t group = 0;
    std::int32_t item = 0; ///< linear id in the work-group
    std::uint32_t step = 0;
    std::uint16_t image = 0; ///< index into the images
    Texel texel;

    bool operator==(const TraceRow&) const = default;
};

/// A trace held in memory: images, and rows in any order with unique (group, item, step).
/// Throws bad_input where two rows have the same (group, item, step).
[[nodiscard]] std::unique_ptr<TraceSource>
make_trace_source(std::string name, std::vector<Image> images, std::vector<TraceRow> rows);

} // namespace texelscope::traces
