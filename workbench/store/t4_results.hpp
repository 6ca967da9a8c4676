#pragma once

#include "workbench/store/stored_result.hpp"

#include <string>
#include <vector>

namespace texelscope::workbench::store {

/// Results of one operator, shape, device and judge in the T4 format for results of auto-tuners
/// (schema version 1.0.0; times in ms). `configuration` has the parameters of parameter_table();
/// `invalidity` is correct, constraints (unsupported), compile (build-failed), runtime (failed),
/// timeout or correctness (wrong-output); `measurements` has the median as `time` (of results that
/// are ok), and what T4 has no place for, so that the same results are read again. Throws bad_input
/// where the results do not go into one such file (common_group(), parameter_table()).
[[nodiscard]] std::string t4_results(const std::vector<StoredResult>& results);

/// Reads the results of a file in that format: exactly those that t4_results() was given, or those
/// of another tuner with the same parameters, if its metadata has `texelscope` {`op`, `shape`,
/// `device`, ...}. `where`: what messages call the file. Throws bad_input where it is no such file,
/// or its configurations are no schedules.
[[nodiscard]] std::vector<StoredResult> parse_t4_results(const std::string& text,
                                                         const std::string& where);

} // namespace texelscope::workbench::store
