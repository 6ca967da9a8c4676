#pragma once

#include "sim/result/simulation_result.hpp"
#include "workbench/plots/result_table.hpp"

namespace texelscope::workbench::report {

/// A row for L1 and, where there is one, L2: "cache", "lookups", "hits", "misses", "miss rate" (a
/// share), "compulsory", "capacity", "conflict" (empty: not told apart), "evictions", "bytes
/// filled".
[[nodiscard]] ResultTable cache_table(const SimulationResult& result);

} // namespace texelscope::workbench::report
