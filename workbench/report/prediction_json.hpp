#pragma once

#include "workbench/report/json_values.hpp"
#include "workbench/study/study.hpp"

namespace texelscope::workbench::report {

/// A prediction as JSON, with the members that docs/reference/json.md lists, except schema and
/// version.
[[nodiscard]] ordered_json prediction_json(const PredictedStudy& study);

} // namespace texelscope::workbench::report
