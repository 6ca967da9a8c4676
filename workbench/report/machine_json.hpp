#pragma once

#include "model/bottleneck/model_options.hpp"
#include "sim/options/occupancy.hpp"
#include "sim/options/options.hpp"
#include "workbench/report/json_values.hpp"

#include <string>

namespace texelscope::workbench::report {

/// The member of a result for a level of cache: "l2" for L2, and others under their names.
[[nodiscard]] std::string member_of(const std::string& level);

/// Every key of `--set` with its value, numbers as numbers.
[[nodiscard]] ordered_json settings_json(const SimulationOptions& options,
                                         const ModelOptions& model);

/// Adds to a JSON object how many warps a core holds at a time, and what keeps it from holding
/// more.
void add_occupancy(ordered_json& out, const Occupancy& occupancy, const SimulationOptions& options);

} // namespace texelscope::workbench::report
