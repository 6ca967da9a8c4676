#pragma once

#include "base/units.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace texelscope::cli {

/// What one judge says of a configuration.
struct JudgedTime {
    std::string judge;               ///< the column's heading, such as "predicted"
    std::optional<Nanoseconds> time; ///< nothing: not known
    std::int64_t alike = 1;          ///< configurations that got this time from it; itself is one of them
};

struct RankedRow {
    std::string config;
    std::vector<JudgedTime> times; ///< the same judges in each row
};

/// Rank, configuration and each judge's time. Where rows tie for a judge, a column says how many configurations are alike, and
/// a line below what becomes of them: `order` of those of the last judge, which orders the rows; it orders those of the others.
[[nodiscard]] std::string ranked_table(const std::vector<RankedRow>& rows, const std::string& order);

} // namespace texelscope::cli
