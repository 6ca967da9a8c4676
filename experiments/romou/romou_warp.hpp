#pragma once

#include "devices/targets/target.hpp"
#include "experiments/shared/experiment_result.hpp"
#include "workbench/probes/probe.hpp"

#include <optional>
#include <vector>

namespace texelscope::experiments {

// Romou, section 3.1 with figure 7: many work-groups of arithmetic, of 1, 4, 5, 8, 9, .. work-items
// each. Time steps up where a work-group needs one more warp.

struct WarpSteps {
    std::vector<ProbePoint> points; ///< nanoseconds over the work-items of a group
    /// Warp size that the probe finds; nothing where it cannot tell.
    std::optional<double> warp_size;
};

/// The probe `warp-size`; of a simulated target one sample, as all are the same.
[[nodiscard]] WarpSteps measure_warp_steps(Target& target, const StopToken& stop = {});

/// What the paper says of figure 7, decided by the data.
[[nodiscard]] std::vector<Finding> romou_warp_findings(const WarpSteps& data);

/// Its conditions say what was run, and on which devices.
MeasuredExperiment run_romou_warp;

} // namespace texelscope::experiments
