#pragma once

#include "devices/profile/device_profile.hpp"
#include "experiments/judges/judge_causes.hpp"
#include "experiments/judges/judged_cells.hpp"
#include "experiments/judges/judged_measurements.hpp"
#include "experiments/shared/experiment_result.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace texelscope::experiments {

// How far the judges agree: every variant of the model with the simulator on all devices, and all
// of them with kernels that were measured.

/// One of the kernels farthest from each other by model and simulator, in a device's worst cell.
struct FarKernel {
    std::string device;
    NamedShape shape;
    Schedule schedule;
    ComparedCounts counts;
    Disagreement why;
};
/// The `most` farthest kernels, by the ratio of the bottleneck model's time to the sample's, of the
/// cell of each device that has the least tau. All cores. Throws Interrupted.
[[nodiscard]] std::vector<FarKernel> far_kernels(const std::vector<JudgedCell>& cells,
                                                 const std::vector<DeviceProfile>& devices,
                                                 const std::vector<Calibration>& calibrations,
                                                 std::size_t most, const Progress& progress = {},
                                                 const StopToken& stop = {});

/// Cells of one device, of one operator, or all of them.
struct CellSummary {
    std::int64_t cells = 0;
    double tau = 0; ///< of the bottleneck model: mean,
    double least_tau = 0;
    std::int64_t below = 0; ///< and cells with less than wanted of a single one
    double choice = 1;      ///< its choice over the best: geometric mean,
    double worst_choice = 1;
    /// And cells with more than wanted.
    std::int64_t above = 0;
    /// Its median error, median of the cells.
    double error = 0;
    double shortlist = 1;                                         ///< geometric mean
    std::array<double, judged_variants.size()> taus{}, choices{}; ///< means of all variants
};
/// Of one cell or more.
[[nodiscard]] CellSummary summary_of(const std::vector<JudgedCell>& cells);

/// Shapes of one device, of which all were fitted on, or none.
struct ShapeSummary {
    std::int64_t shapes = 0;
    double tau = 0;    ///< mean
    double choice = 1; ///< over the best: geometric mean,
    double worst_choice = 1;
    std::array<double, 3> error{}; ///< 10, 50 and 90 % of the kernels: medians of the shapes
};
/// Of a judge on one shape or more.
[[nodiscard]] ShapeSummary summary_of(const std::vector<JudgedShape>& shapes, std::size_t judge);

/// Kernels of the bottleneck model that are simulated in the shortlist.
inline constexpr std::size_t judged_shortlist = 64;

/// What is aimed at, decided by the cells, and by the shapes that nothing was fitted on.
[[nodiscard]] std::vector<Finding> judge_findings(const std::vector<JudgedCell>& cells,
                                                  const std::vector<DeviceProfile>& devices,
                                                  const std::vector<FarKernel>& far,
                                                  const std::vector<JudgedShape>& shapes);

/// Tau of the bottleneck model to the simulator: devices by operators, a panel for the small and
/// one for the large shapes.
[[nodiscard]] PanelPlot judges_plot(const std::vector<JudgedCell>& cells,
                                    const std::vector<DeviceProfile>& devices);

/// How much is done.
struct JudgesOptions {
    CellOptions cells;
    MeasuredOptions measured;
    std::size_t far = 3; ///< kernels of each device's worst cell
};
/// On all of the devices; measured kernels are those of the ones among them that have any.
[[nodiscard]] ExperimentResult judges(const std::vector<DeviceProfile>& devices,
                                      const JudgesOptions& options, const Progress& progress = {},
                                      const StopToken& stop = {});

/// Its conditions say what was run, and on which devices.
SurveyExperiment run_judges;

} // namespace texelscope::experiments
