#pragma once

#include "experiments/shared/experiment_result.hpp"

#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace texelscope::experiments {

/// A published table or figure that can be done again on a simulated device, or from a device's
/// measurements.
struct Experiment {
    std::string_view name;
    std::string_view title;
    std::string_view source;
    /// Of a run on the devices that it has where none is named, measured on a Xeon.
    int processor_seconds = 0;
    /// What runs it, and so what it runs on.
    std::variant<SimulatedExperiment*, MeasuredExperiment*, SurveyExperiment*, KernelExperiment*>
        function;
    /// The profile of the device that was measured; empty: any.
    std::string_view only_device = {};
    /// The profile of the device that the paper's figure is of, on which it runs where no other is
    /// named; empty: the default one.
    std::string_view paper_device = {};

    /// Whose table or figure it is, the source without its section.
    [[nodiscard]] std::string_view paper() const { return source.substr(0, source.find(',')); }
    /// "45 s" or "4 min" of processor time.
    [[nodiscard]] std::string takes() const;
    /// Whether it goes over all devices that are named, rather than one.
    [[nodiscard]] bool surveys() const { return holds<SurveyExperiment>(); }
    /// Whether it runs whole kernels, of which some may run on a real device beside the simulated
    /// one.
    [[nodiscard]] bool runs_kernels() const { return holds<KernelExperiment>(); }
    /// Whether it runs on real devices as well.
    [[nodiscard]] bool runs_on_devices() const
    {
        return runs_kernels() || holds<MeasuredExperiment>();
    }
    /// On a simulated device. Deterministic. Throws bad_input where the device's options are
    /// invalid, Interrupted where `stop` says so.
    [[nodiscard]] ExperimentResult run(const DeviceProfile& device, const Progress& progress,
                                       const StopToken& stop) const;
    /// The same of what surveys(), on all of these.
    [[nodiscard]] ExperimentResult run(const std::vector<DeviceProfile>& devices,
                                       const Progress& progress, const StopToken& stop) const;
    /// On a target, of what measures one (runs_on_devices(), but not runs_kernels()).
    [[nodiscard]] ExperimentResult run(Target& target, const DeviceProfile& device,
                                       const Progress& progress, const StopToken& stop) const;
    /// On a real device that `on` names, as parse_job_place() takes it (runs_on_devices());
    /// `device` describes it, and simulates kernels beside it. Throws missing where it is a CPU and
    /// warps and registers are asked for, and as open_target() does.
    [[nodiscard]] ExperimentResult run_on(const std::string& on, const JobRunnerOptions& how,
                                          const DeviceProfile& device, const Progress& progress,
                                          const StopToken& stop) const;
    /// The result, with explanations of what does not hold where they are of that device.
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
