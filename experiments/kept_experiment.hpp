#pragma once

#include "experiments/experiment_report.hpp"

#include <string>

namespace texelscope::experiments {

/// The JSON text of the file of an experiment that was done: conditions, findings, tables and plot.
[[nodiscard]] std::string experiment_file(const DoneExperiment& done);
/// Reads such a file. Throws bad_input for a file that cannot be read, that experiment_file() did
/// not write, or of an unknown experiment.
[[nodiscard]] DoneExperiment read_experiment_file(const std::string& path);
/// read_experiment_file() of a file's text; `path` is what messages call it.
[[nodiscard]] DoneExperiment parse_experiment_file(const std::string& text,
                                                   const std::string& path);

} // namespace texelscope::experiments
