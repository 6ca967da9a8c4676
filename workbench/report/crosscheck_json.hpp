#pragma once

#include "workbench/report/json_values.hpp"
#include "workbench/report/judged_configurations.hpp"

#include <string>

namespace texelscope::workbench::report {

/// The members of docs/reference/json.md, but for schema and version. `on`: what ran the kernels.
[[nodiscard]] ordered_json crosscheck_json(const JudgedConfigurations& judged, const Operator& op,
                                           const DeviceProfile& profile, const std::string& on);

} // namespace texelscope::workbench::report
