#pragma once

#include "devices/profile/device_profile.hpp"
#include "sim/result/simulation_result.hpp"
#include "workbench/report/json_values.hpp"

#include <string>

namespace texelscope::workbench::report {

/// A simulation as JSON, with the members that docs/reference/json.md lists, except schema and
/// version. `source`: the trace, or operator and configuration.
[[nodiscard]] ordered_json simulation_json(const SimulationResult& result,
                                           const SimulationOptions& options,
                                           const DeviceProfile& device, const std::string& source);

/// The cycles of each reason, by StallReason::member.
[[nodiscard]] ordered_json stalls_json(const StallStatistics& stalls);

} // namespace texelscope::workbench::report
