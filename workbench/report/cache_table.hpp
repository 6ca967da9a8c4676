#pragma once

#include "sim/result/simulation_result.hpp"
#include "workbench/plots/result_table.hpp"

namespace texelscope::workbench::report {

/// A table of cache statistics with a row for L1 and, where there is one, for L2. Columns: "cache",
/// "lookups", "hits", "misses", "miss rate" (a share of the lookups), "compulsory", "capacity",
/// "conflict" (empty where kinds of misses were not told apart), "evictions", "bytes filled".
[[nodiscard]] ResultTable cache_table(const SimulationResult& result);

} // namespace texelscope::workbench::report
