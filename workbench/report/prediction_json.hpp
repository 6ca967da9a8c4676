#pragma once

#include "workbench/report/json_values.hpp"

namespace texelscope::workbench::study {
struct PredictedStudy;
} // namespace texelscope::workbench::study

namespace texelscope::workbench::report {

/// A prediction as JSON, with the members that docs/reference/json.md lists, except schema and
/// version.
[[nodiscard]] ordered_json prediction_json(const study::PredictedStudy& study);

} // namespace texelscope::workbench::report
