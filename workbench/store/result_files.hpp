#pragma once

#include "workbench/store/stored_result.hpp"

#include <string>
#include <vector>

namespace texelscope::workbench::store {

/// Results of a file in any format that is known, by its contents: a cache of Kernel Tuner, T4
/// results, what results_csv() wrote, or what `run --json` printed. `where` names it in messages.
/// Throws bad_input where it is none of them.
[[nodiscard]] std::vector<StoredResult> parse_result_file(const std::string& text,
                                                          const std::string& where);

/// The same of a file, which may be packed (gzip, zstd). Throws bad_input where it cannot be read,
/// too.
[[nodiscard]] std::vector<StoredResult> read_results(const std::string& path);

} // namespace texelscope::workbench::store
