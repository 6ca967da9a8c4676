#pragma once

#include "workbench/store/stored_result.hpp"

#include <string>
#include <vector>

namespace texelscope::workbench::store {

/// Reads what `run --json` printed, one object or one per line, as results of the judge "device".
/// The output has no seed and no time stamp, so the results have none either. `where`: what
/// messages call the text. Throws bad_input for anything else.
[[nodiscard]] std::vector<StoredResult> parse_run_results(const std::string& text,
                                                          const std::string& where);

} // namespace texelscope::workbench::store
