#pragma once

#include "devices/kernels/opencl_device.hpp"
#include "devices/profile/device_profile.hpp"
#include "devices/targets/target.hpp"
#include "experiments/render/panel_plot.hpp"
#include "experiments/render/result_table.hpp"
#include "experiments/study/study.hpp"
#include "sim/simulate.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace texelscope::experiments {

/// What became of a statement of the paper on this device.
enum class Verdict {
    holds,
    does_not_hold,
    not_tested, ///< the data have nothing that could show it, e.g. one thread says nothing of scaling
};
[[nodiscard]] std::string to_string(Verdict verdict);

/// A statement that the data decide.
struct Finding {
    std::string claim;
    std::string paper; ///< what the paper gives for it, with its section
    std::string ours;  ///< the same from the data
    Verdict verdict = Verdict::not_tested;
    std::string explanation = {}; ///< why it does not hold, as far as known; see explanation_of()
};
[[nodiscard]] constexpr Verdict verdict_of(bool holds)
{
    return holds ? Verdict::holds : Verdict::does_not_hold;
}

/// An experiment's answer, ready to print and draw.
struct ExperimentResult {
    using Conditions = std::vector<std::pair<std::string, std::string>>; ///< what was run: name and value
    Conditions conditions;
    ResultTable table;
    std::vector<Finding> findings;
    PanelPlot plot;
    /// Of experiments whose rows are of several kinds.
    struct FurtherTable {
        std::string name; ///< of its file and member, in the manner of "farthest"
        std::string title;
        ResultTable table;
    };
    std::vector<FurtherTable> further = {};
};
/// Conditions and findings as lines of plain text, for a file beside the plot.
[[nodiscard]] std::string findings_text(const ExperimentResult& result);

/// On a simulated device.
using SimulatedExperiment = ExperimentResult(const DeviceProfile& device, const Progress& progress,
                                             const StopToken& stop);
/// On a target, real or simulated, that the profile describes.
using MeasuredExperiment = ExperimentResult(Target& target, const DeviceProfile& device, const Progress& progress,
                                            const StopToken& stop);
/// On simulated devices side by side.
using SurveyExperiment = ExperimentResult(const std::vector<DeviceProfile>& devices, const Progress& progress,
                                          const StopToken& stop);
/// Kernels on a simulated device, and on `on` where there is one: null, none.
using KernelExperiment = ExperimentResult(const OpenClDevice* on, const DeviceProfile& device, const Progress& progress,
                                          const StopToken& stop);
// Each has its file; its conditions say what was run, and on which devices.
SimulatedExperiment run_stride_regression, run_warp_scaling, run_occupancy_waves, run_kernel_speedups, run_pattern_map,
    run_gain_breakdown, run_model_accuracy, run_model_readings, run_measured_h200, run_measured_h100, run_tuning_cost,
    run_network_kernels, run_romou_chase, run_romou_roofline, run_romou_pruning, run_romou_breakdown,
    run_romou_search_cost, run_work_group_utilisation, run_work_group_distribution, run_work_group_scores,
    run_register_estimates, run_romou_operators, run_work_group_networks;
MeasuredExperiment run_romou_registers, run_romou_warp;
SurveyExperiment run_judges;
KernelExperiment run_kernel_forms, run_training_matmul, run_network_inference, run_training_table4, run_training_table6,
    run_training_copies;

/// A published table or figure that can be done again on a simulated device, or from a device's measurements.
struct Experiment {
    std::string_view name;
    std::string_view title;
    std::string_view source;
    int processor_seconds = 0; ///< of a run on the devices that it has where none is named, measured on a Xeon
    SimulatedExperiment* simulate = nullptr;
    std::string_view only_device = {};     ///< the profile of the device that was measured; empty: any
    MeasuredExperiment* measure = nullptr; ///< where that is given, in place of simulate()
    std::string_view paper_device =
        {}; ///< the profile of the device that the paper's figure is of, on which it runs where no
            ///< other is named; empty: the default one
    SurveyExperiment* survey = nullptr;  ///< where that is given, in place of simulate(), of all devices that are named
    KernelExperiment* kernels = nullptr; ///< where that is given, in place of simulate()

    /// Whose table or figure it is, the source without its section.
    [[nodiscard]] std::string_view paper() const { return source.substr(0, source.find(',')); }
    /// "45 s" or "4 min" of processor time.
    [[nodiscard]] std::string takes() const;
    /// Whether it runs on real devices as well.
    [[nodiscard]] bool runs_on_devices() const { return measure != nullptr || kernels != nullptr; }
    /// On a simulated device. Deterministic. Throws bad_input where the device's options are invalid, Interrupted where
    /// `stop` says so.
    [[nodiscard]] ExperimentResult run(const DeviceProfile& device, const Progress& progress,
                                       const StopToken& stop) const;
    /// The same of what surveys devices (`survey` is given), on all of these.
    [[nodiscard]] ExperimentResult run(const std::vector<DeviceProfile>& devices, const Progress& progress,
                                       const StopToken& stop) const;
    /// On a real device that `on` names, as parse_job_place() takes it (runs_on_devices()); `device` describes it, and simulates
    /// kernels beside it. Throws missing where it is a CPU and warps and registers are asked for, and as open_target() does.
    [[nodiscard]] ExperimentResult run_on(const std::string& on, const JobRunnerOptions& how,
                                          const DeviceProfile& device, const Progress& progress,
                                          const StopToken& stop) const;
    /// The result, with explanations of what does not hold where they are of that device.
    [[nodiscard]] ExperimentResult explained(ExperimentResult result, const DeviceProfile& device) const;
};
[[nodiscard]] std::span<const Experiment> all_experiments();
/// Throws bad_input, listing the names, for another one.
[[nodiscard]] const Experiment& find_experiment(const std::string& name);

} // namespace texelscope::experiments
