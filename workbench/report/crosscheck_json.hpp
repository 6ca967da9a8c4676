#pragma once

#include "workbench/report/json_values.hpp"
#include "workbench/report/judged_configurations.hpp"

#include <string>

namespace texelscope::workbench::report {

/// A cross-check as JSON, with the members that docs/reference/json.md lists, except schema and
/// version. `on`: the device that ran the kernels.
[[nodiscard]] ordered_json crosscheck_json(const JudgedConfigurations& judged, const Operator& op,
                                           const DeviceProfile& profile, const std::string& on);

} // namespace texelscope::workbench::report
