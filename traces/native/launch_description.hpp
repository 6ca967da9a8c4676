#pragma once

#include "traces/native/step_chunk.hpp"
#include "traces/native/trace_record.hpp"

#include <string>
#include <vector>

namespace texelscope::traces {

/// What a native trace file says of a launch apart from its accesses.
struct TraceTotals {
    std::int64_t groups = 0;          ///< number of groups that did something
    std::int64_t items = 0;           ///< highest linear number of an item in its group, plus one
    std::vector<std::int64_t> reads;  ///< by image
    std::vector<std::int64_t> writes; ///< by image
    std::vector<std::int64_t> buffer_reads;
    std::vector<std::int64_t> buffer_writes;

    bool operator==(const TraceTotals&) const = default;
};
[[nodiscard]] TraceTotals empty_totals(const TracedLaunch& launch);
/// The sum of counts over all images, or over all buffers.
[[nodiscard]] std::int64_t sum_of(const std::vector<std::int64_t>& counts);
/// Counts an access, whose image or buffer must be one of the launch.
void add(TraceTotals& totals, const StepRow& row);

/// JSON and back. Parsing throws std::out_of_range, with words, for anything else.
[[nodiscard]] std::string to_json(const TracedLaunch& launch);
[[nodiscard]] std::string to_json(const TraceTotals& totals);
[[nodiscard]] std::string program_json(const std::string& program);
[[nodiscard]] TracedLaunch parse_launch(const std::string& json);
[[nodiscard]] TraceTotals parse_totals(const std::string& json, const TracedLaunch& launch);
[[nodiscard]] std::string parse_program(const std::string& json);

/// Throws std::out_of_range, with words, where sizes are not positive or there are too many
/// objects.
void check_launch(const TracedLaunch& launch);
/// Throws std::out_of_range, with words, where a count is negative or larger than any launch's.
void check_executed(const ExecutedOperations& counts);

} // namespace texelscope::traces
