#pragma once

#include "devices/runners/job_runner_options.hpp"
#include "experiments/shared/experiment_result.hpp"

#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace texelscope::experiments {

/// A published table or figure that can be done again, on a simulated device or a real one.
///
/// What goes in: the profile of a device, or of several where surveys(), and for most experiments a
/// real device where there is one. What comes out: an ExperimentResult with tables, figures and
/// findings: the claims of the paper, and whether they hold.
///
/// Order of calls: find_experiment() or all_experiments() gives the row; its questions (surveys(),
/// measures_target(), runs_on_devices()) tell which run() or run_on() fits; then explained() adds
/// the known reasons to findings that do not hold.
///
/// What always holds: the kind of `function` decides what the experiment runs on; a run on a
/// simulated device is deterministic.
struct Experiment {
    std::string_view name;
    std::string_view title;
    std::string_view source;
    /// Processor time in seconds of a run on its default devices, measured on a Xeon.
    int processor_seconds = 0;
    /// The function that runs it. Its type decides what the experiment runs on.
    std::variant<DeviceExperiment*, MeasuredExperiment*, SurveyExperiment*> function;
    /// Name of the one profile that it can run on, since that device's measurements are shipped;
    /// empty: any profile.
    std::string_view only_device = {};
    /// Name of the profile of the paper's own device, on which it runs where the user names no
    /// other; empty: the default profile.
    std::string_view paper_device = {};
    /// Why no real device can give its figures, in one line; empty: one can.
    std::string_view not_on_devices = {};

    /// The paper that the table or figure is from: the source without its section.
    [[nodiscard]] std::string_view paper() const { return source.substr(0, source.find(',')); }
    /// "45 s" or "4 min" of processor time.
    [[nodiscard]] std::string takes() const;
    /// Whether it runs on a list of devices, rather than on one.
    [[nodiscard]] bool surveys() const { return holds<SurveyExperiment>(); }
    /// Whether it measures a target, which may be the simulated device of another profile.
    [[nodiscard]] bool measures_target() const { return holds<MeasuredExperiment>(); }
    /// Whether it can run on a real device as well.
    [[nodiscard]] bool runs_on_devices() const { return not_on_devices.empty(); }
    /// Throws bad_input, with the reason, where no real device can give its figures.
    void check_runs_on_devices() const;
    /// Runs it on a simulated device; deterministic. Throws bad_input where the device's options
    /// are invalid, Interrupted when `stop` answers true.
    [[nodiscard]] ExperimentResult run(const DeviceProfile& device, const Progress& progress,
                                       const StopToken& stop) const;
    /// Runs an experiment that surveys() on all of these simulated devices.
    [[nodiscard]] ExperimentResult run(const std::vector<DeviceProfile>& devices,
                                       const Progress& progress, const StopToken& stop) const;
    /// Runs an experiment that measures_target().
    [[nodiscard]] ExperimentResult run(Target& target, const DeviceProfile& device,
                                       const Progress& progress, const StopToken& stop) const;
    /// Runs it on the real device that `on` names, as parse_job_place() takes it. `device` is the
    /// profile that describes the device: spaces, rules and models go by it. Throws as
    /// check_runs_on_devices() and OpenClDevice do, and missing where the device is a CPU and the
    /// experiment is of textures, warps or registers.
    [[nodiscard]] ExperimentResult run_on(const std::string& on, const JobRunnerOptions& how,
                                          const DeviceProfile& device, const Progress& progress,
                                          const StopToken& stop) const;
    /// The result, with explanations added to the findings that do not hold, where explanations for
    /// that device are known.
    [[nodiscard]] ExperimentResult explained(ExperimentResult result,
                                             const DeviceProfile& device) const;

private:
    template <class Function>
    [[nodiscard]] bool holds() const
    {
        return std::holds_alternative<Function*>(function);
    }
};
[[nodiscard]] std::span<const Experiment> all_experiments();
/// Throws bad_input, listing the names, for another one.
[[nodiscard]] const Experiment& find_experiment(const std::string& name);

} // namespace texelscope::experiments
