#pragma once

#include "workbench/store/stored_result.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace texelscope::workbench::store {

/// A table with a header, one line for each result, as RFC 4180 has it: key, operator and shape,
/// configuration, status, times in ns (samples separated by spaces), errors of the output. Numbers
/// read back as the same ones.
[[nodiscard]] std::string results_csv(const std::vector<StoredResult>& results);

/// Whether a text begins as results_csv() does.
[[nodiscard]] bool is_results_csv(std::string_view text);

/// Reads what results_csv() wrote. `where`: what messages call it. Throws bad_input, with the
/// number of the result, for anything else.
[[nodiscard]] std::vector<StoredResult> parse_results_csv(std::string_view text,
                                                          const std::string& where);

} // namespace texelscope::workbench::store
