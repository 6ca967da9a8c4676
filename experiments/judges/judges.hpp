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

// How well the judges agree: every variant of the model with the simulator on all devices, and all
// of these with kernels that were measured.

/// One of the kernels on which model and simulator differ most, in a cell where they agree less
/// than is wanted of every single one (falls_short()).
struct FarKernel {
    std::string device;
    NamedShape shape;
    Schedule schedule;
    ComparedCounts counts;
    Disagreement why;
};
/// Whether the bottleneck model's order of a cell, or its choice, is worse than is wanted.
[[nodiscard]] bool falls_short(const JudgedCell& cell);
/// The `most` kernels with the largest ratio between the bottleneck model's time and the sampled
/// time, of each cell that falls short. Uses all cores of this machine. Throws Interrupted.
[[nodiscard]] std::vector<FarKernel> far_kernels(const std::vector<JudgedCell>& cells,
                                                 const std::vector<DeviceProfile>& devices,
                                                 const std::vector<Calibration>& calibrations,
                                                 std::size_t most, const Progress& progress = {},
                                                 const StopToken& stop = {});

/// Agreement of the bottleneck model with the simulator over several cells: those of a device, of
/// an operator, or all.
struct CellSummary {
    std::int64_t cells = 0;
    double tau = 0; ///< mean over the cells
    double least_tau = 0;
    std::int64_t below = 0; ///< cells with less tau than is wanted of every single one
    double choice = 1;      ///< time of the model's choice over the best: geometric mean
    double worst_choice = 1;
    /// Cells with a worse choice than is wanted of every single one.
    std::int64_t above = 0;
    /// The median error of a cell's kernels; of this the median over the cells.
    double error = 0;
    double shortlist = 1;                                         ///< geometric mean
    std::array<double, judged_variants.size()> taus{}, choices{}; ///< means of all variants
};
/// The summary of one cell or more.
[[nodiscard]] CellSummary summary_of(const std::vector<JudgedCell>& cells);

/// Agreement of a judge with the device over several measured shapes; values of the profile were
/// fitted to all of them, or to none.
struct ShapeSummary {
    std::int64_t shapes = 0;
    double tau = 0;    ///< mean
    double choice = 1; ///< time of the judge's choice over the best: geometric mean
    double worst_choice = 1;
    std::array<double, 3> error{}; ///< 10, 50 and 90 % of the kernels: medians of the shapes
};
/// The summary of one judge over one shape or more.
[[nodiscard]] ShapeSummary summary_of(const std::vector<JudgedShape>& shapes, std::size_t judge);

/// Kernels of the bottleneck model that are simulated in the shortlist.
inline constexpr std::size_t judged_shortlist = 64;

/// The findings on what is aimed at, decided by the cells, and by the shapes that nothing was
/// fitted to.
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
    std::size_t far = 1; ///< kernels of each cell that falls short
};
/// Runs the experiment on all of the devices, with measured kernels for those that have any.
[[nodiscard]] ExperimentResult judges(const std::vector<DeviceProfile>& devices,
                                      const JudgesOptions& options, const Progress& progress = {},
                                      const StopToken& stop = {});

/// Its conditions say what was run, and on which devices.
SurveyExperiment run_judges;

} // namespace texelscope::experiments
