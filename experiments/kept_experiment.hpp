#pragma once

#include "experiments/experiment_report.hpp"

#include <string>

namespace texelscope::experiments {

/// An experiment that was done, as one JSON file: conditions, findings, tables and plot.
[[nodiscard]] std::string experiment_file(const DoneExperiment& done);
/// Throws bad_input for a file that cannot be read, is not what experiment_file() has written, or
/// is of an experiment that there is not.
[[nodiscard]] DoneExperiment read_experiment_file(const std::string& path);
/// The same of its text; `path` is what messages call it.
[[nodiscard]] DoneExperiment parse_experiment_file(const std::string& text,
                                                   const std::string& path);

} // namespace texelscope::experiments
