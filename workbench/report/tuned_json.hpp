#pragma once

#include "workbench/report/json_values.hpp"
#include "workbench/tuning/tuned.hpp"

#include <string>

namespace texelscope::workbench::report {

/// Keys of parts as a list; null where there are none: a space of a strategy's own.
[[nodiscard]] ordered_json parts_json(const std::string& parts);

/// What conditions leave of a space: {"kept", "conditions": [{"condition", "excludes"}]}.
[[nodiscard]] ordered_json conditions_json(const space::SpaceCounts& counts);

/// What a search found as JSON, with the members that docs/reference/json.md lists, except schema
/// and version.
[[nodiscard]] ordered_json tuned_json(const tuning::Tuned& tuned);

} // namespace texelscope::workbench::report
