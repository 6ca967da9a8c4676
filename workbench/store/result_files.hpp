#pragma once

#include "workbench/store/stored_result.hpp"

#include <string>
#include <vector>

namespace texelscope::workbench::store {

/// Reads results in any known format, told by the contents: a cache of Kernel Tuner, T4 results,
/// what results_csv() wrote, a log of AutoTVM, or what `run --json` printed. `where`: what messages
/// call the text. Throws bad_input where it is none of these.
[[nodiscard]] std::vector<StoredResult> parse_result_file(const std::string& text,
                                                          const std::string& where);

/// parse_result_file() of a file, which may be compressed (gzip, xz, zstd). Throws bad_input also
/// where it cannot be read.
[[nodiscard]] std::vector<StoredResult> read_results(const std::string& path);

} // namespace texelscope::workbench::store
