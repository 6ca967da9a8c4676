#pragma once

#include "experiments/shared/experiment_device.hpp"
#include "experiments/tmmodel/model_levels.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace texelscope::experiments {

// TMModel, section 6.4 with figures 9 and 10: how good the choices of a model are, against the best
// that there is.

/// Who chooses: model_choosers, the shortlist, and a longer one.
inline constexpr std::size_t chooser_count = model_choosers.size() + 2;
[[nodiscard]] std::vector<std::string> accuracy_choosers();

/// The choices for one operator and shape.
struct AccuracyCase {
    Operator op;
    std::int64_t space = 0;
    /// Configurations that were simulated or run for the best (fastest_of_space()).
    std::int64_t tried = 0;
    std::string best; ///< configuration
    double best_ns = 0;
    std::array<double, chooser_count>
        ratio{}; ///< time of the choice over the best, by chooser; where it holds some alike,
                 ///< the geometric mean over some of them, drawn at random
};

/// The nine operators of the paper's table 3, at sizes that an exhaustive search can be done for in
/// minutes.
[[nodiscard]] std::vector<Operator> accuracy_operators();

/// Throws bad_input where a chooser has put nothing first that a real device runs.
[[nodiscard]] AccuracyCase measure_accuracy(const Operator& op, const ExperimentDevice& device,
                                            const Calibration& calibration,
                                            const Progress& progress = {},
                                            const StopToken& stop = {});

/// What the paper says, decided by the data. `judge`: whose times these are, "simulator" or
/// "device".
[[nodiscard]] std::vector<Finding> accuracy_findings(const std::vector<AccuracyCase>& cases,
                                                     const std::string& judge = "simulator");

/// The mean of each chooser as a bar, the operators as discs.
[[nodiscard]] PanelPlot accuracy_plot(const std::vector<AccuracyCase>& cases,
                                      const ExperimentDevice& device);

/// Its conditions say what was run, and on which devices.
DeviceExperiment run_model_accuracy;

} // namespace texelscope::experiments
