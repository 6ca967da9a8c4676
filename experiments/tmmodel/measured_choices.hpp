#pragma once

#include "experiments/shared/experiment_device.hpp"
#include "experiments/tmmodel/model_levels.hpp"
#include "workbench/store/stored_result.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace texelscope::experiments {

// TMModel, section 6.4 with figures 9 and 10, on silicon: what the models would have chosen among
// kernels that were measured.

/// The number of choosers: model_choosers; the bottleneck model corrected by the measured times of
/// kernels of other shapes; and the best of that model's first few, which would have to be run.
inline constexpr std::size_t measured_chooser_count = model_choosers.size() + 2;
[[nodiscard]] std::vector<std::string> measured_choosers();

/// One operator and shape.
struct MeasuredCase {
    std::string op;             ///< operator and shape
    bool identified_on = false; ///< whether its kernels decided what the profile says (model.*)
    std::int64_t kernels = 0;
    std::string best; ///< configuration
    double best_ns = 0;
    /// Time of the choice over the best, by chooser; where some are alike to it, their geometric
    /// mean.
    std::array<double, measured_chooser_count> ratio{};
    /// By chooser: Kendall's tau-b of its order and that of the measured times.
    std::array<std::optional<double>, measured_chooser_count> tau{};
};

/// What the choosers would take of kernels that were measured on a device with this profile. Times
/// of a shape are corrected by a fit to the other shapes (ten folds). Leaves out results that are
/// not ok. Throws bad_input, Interrupted.
[[nodiscard]] std::vector<MeasuredCase> measured_cases(const std::vector<StoredResult>& results,
                                                       const DeviceProfile& device,
                                                       const Progress& progress = {},
                                                       const StopToken& stop = {});

/// What the paper says, decided by shapes with `enough` kernels or more that were not identified
/// on.
[[nodiscard]] std::vector<Finding> measured_findings(const std::vector<MeasuredCase>& cases,
                                                     std::int64_t enough);

/// The mean of each chooser as a bar, the shapes as discs.
[[nodiscard]] PanelPlot measured_plot(const std::vector<MeasuredCase>& cases,
                                      const std::string& device);

/// Its conditions say what was run, and on which devices.
DeviceExperiment run_measured_h200, run_measured_h100;

} // namespace texelscope::experiments
