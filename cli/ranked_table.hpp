#pragma once

#include "cli/command.hpp"
#include "workbench/tuning/ranked_rows.hpp"

#include <string>
#include <vector>

namespace texelscope::cli {

/// Rank, configuration and each judge's time; `judged`: the heading of the one that orders. Where
/// rows tie for a judge, a column says how many configurations are alike, and a line below what
/// becomes of them: `order` of those of the judge that orders the rows; it orders those of the
/// model.
[[nodiscard]] std::string ranked_table(const std::vector<RankedRow>& rows,
                                       const std::string& judged, const std::string& order);
[[nodiscard]] ordered_json ranking_json(const std::vector<RankedRow>& rows);

} // namespace texelscope::cli
