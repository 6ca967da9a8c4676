#pragma once

#include "experiments/shared/choices.hpp"
#include "experiments/shared/experiment_result.hpp"

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace texelscope::experiments {

// TMModel, section 6.2 with table 3: how much faster our choices are than those of frameworks, for
// nine kernels. compare_choices() (experiments/shared) finds the choices.

/// Average and peak over the shapes of a kernel.
struct SpeedupMean {
    double average = 0;
    double peak = 0;
};
using FrameworkSpeedups = std::array<std::optional<SpeedupMean>, all_frameworks.size()>;

/// A row of the table.
struct KernelSpeedups {
    std::string kernel;
    std::vector<ComparedChoices> shapes;

    /// Nothing where a framework has no choice for any shape.
    [[nodiscard]] FrameworkSpeedups
    means(TimedChoice ComparedChoices::*ours = &ComparedChoices::shortlist) const;
};

/// The paper's row for a kernel; nothing for a framework that does not run the kernel, and for all
/// frameworks if the name is unknown.
[[nodiscard]] FrameworkSpeedups paper_speedups(const std::string& kernel);

/// Geometric means of the averages and of the peaks over the kernels, of each framework.
[[nodiscard]] FrameworkSpeedups geometric_means(std::span<const FrameworkSpeedups> kernels);

/// What the paper says of table 3, decided by the data.
[[nodiscard]] std::vector<Finding>
kernel_speedup_findings(const std::vector<KernelSpeedups>& kernels);

[[nodiscard]] PanelPlot kernel_speedup_plot(const std::vector<KernelSpeedups>& kernels,
                                            const ExperimentDevice& device);

/// Its conditions say what was run, and on which devices.
DeviceExperiment run_kernel_speedups;

} // namespace texelscope::experiments
