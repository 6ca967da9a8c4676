#pragma once

#include "experiments/stored_result.hpp"

#include <string>
#include <vector>

namespace texelscope {

/// Results of a file in any format that is known, by its contents: a cache of Kernel Tuner, T4 results, or what
/// `run --json` printed. `where` names it in messages. Throws bad_input where it is none of them.
[[nodiscard]] std::vector<StoredResult> parse_result_file(const std::string& text, const std::string& where);

/// A table with a header, one line for each result, as RFC 4180 has it: key, operator and shape, configuration, status,
/// times in ns (samples separated by spaces), errors of the output. Numbers read back as the same ones.
[[nodiscard]] std::string results_csv(const std::vector<StoredResult>& results);

} // namespace texelscope
