#pragma once

#include "cli/command.hpp"
#include "traces/native/trace_file.hpp"
#include "traces/trace_source.hpp"

#include <string>

namespace texelscope::cli {

/// `trace info` of one launch: an object of the `launches`, and the same in words.
struct LaunchReport {
    ordered_json json;
    std::string text;
};
[[nodiscard]] LaunchReport launch_report(const TracedLaunch& launch, const TraceTotals& totals, int number);

/// What a source without totals of its own holds.
[[nodiscard]] TraceTotals counted_totals(const TraceSource& source);

/// `trace head`: the first accesses of a launch by group, then by their place in the program of their work-item, then by
/// work-item; rows of group, item, step, kind, object, place. `step` counts the image reads of the item, and for other
/// accesses all of its accesses.
struct HeadRow {
    std::int64_t group = 0;
    std::uint32_t step = 0;
    StepRow row;
};
[[nodiscard]] std::vector<HeadRow> head(const TraceFile& file, int launch, std::int64_t count);
[[nodiscard]] std::vector<HeadRow> head(const TraceSource& source, std::int64_t count);
[[nodiscard]] std::string to_text(const std::vector<HeadRow>& rows, const TracedLaunch& launch);
[[nodiscard]] ordered_json to_json(const std::vector<HeadRow>& rows, const TracedLaunch& launch);

} // namespace texelscope::cli
