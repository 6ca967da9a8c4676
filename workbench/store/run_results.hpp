#pragma once

#include "workbench/store/stored_result.hpp"

#include <string>
#include <vector>

namespace texelscope::workbench::store {

/// What `run --json` printed, one object or one a line, as results of the judge "device". Seed and
/// time stamp are not in it, and so are not known. `where` names it in messages. Throws bad_input
/// where it is no such file.
[[nodiscard]] std::vector<StoredResult> parse_run_results(const std::string& text,
                                                          const std::string& where);

} // namespace texelscope::workbench::store
