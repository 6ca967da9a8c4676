#pragma once

#include "experiments/experiment.hpp"

#include <string>
#include <vector>

namespace texelscope::experiments {

/// An experiment that was done on a device.
struct DoneExperiment {
    Experiment experiment;
    std::string device;
    ExperimentResult result;
};

/// One self-contained HTML file. It begins with how many findings of each experiment hold; then
/// each experiment has its plot, what agrees with the paper and what does not, conditions and data.
[[nodiscard]] std::string html_experiments(const std::vector<DoneExperiment>& experiments);

} // namespace texelscope::experiments
