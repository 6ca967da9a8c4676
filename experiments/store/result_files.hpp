#pragma once

#include "experiments/store/stored_result.hpp"

#include <string>
#include <vector>

namespace texelscope::experiments {

/// Results of a file in any format that is known, by its contents: a cache of Kernel Tuner, T4 results, what
/// results_csv() wrote, or what `run --json` printed. `where` names it in messages. Throws bad_input where it is none of them.
[[nodiscard]] std::vector<StoredResult> parse_result_file(const std::string& text, const std::string& where);

} // namespace texelscope::experiments
