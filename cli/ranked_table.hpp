#pragma once

#include "workbench/tuning/ranked_rows.hpp"

#include <string>
#include <vector>

namespace texelscope::cli {

/// A table with rank, configuration and each judge's time. `judged`: the heading of the judge that
/// orders the rows. Where rows tie, a column says how many configurations tie with each, and a line
/// below the table says in which order these are: `order` for ties of the judge that orders the
/// rows. That judge itself breaks the model's ties.
[[nodiscard]] std::string ranked_table(const std::vector<RankedRow>& rows,
                                       const std::string& judged, const std::string& order);

} // namespace texelscope::cli
