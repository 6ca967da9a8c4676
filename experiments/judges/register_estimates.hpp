#pragma once

#include "devices/compilers/compiler_gpu.hpp"
#include "experiments/shared/experiment_device.hpp"
#include "workbench/store/shipped_measurements.hpp"

#include <span>
#include <string>
#include <vector>

namespace texelscope::experiments {

// How well registers are estimated: the estimates against what Mesa's compilers made of random
// kernels of all operators.

/// A kernel on a GPU. 32-bit registers of a work-item.
struct EstimatedKernel {
    std::string gpu, op;
    CompilerFamily family = CompilerFamily::adreno;
    int compiled = 0;
    /// Live values of the text (register_footprint()): the estimate where there is no better one.
    int live = 0;
    int estimated = 0; ///< estimated_registers()
};

/// The kernels of some rows, in their order. Deterministic.
[[nodiscard]] std::vector<EstimatedKernel> estimate_kernels(std::span<const CompiledRow> rows,
                                                            const Progress& progress = {},
                                                            const StopToken& stop = {});

/// Of some kernels: how many, and how an estimate does.
struct EstimateQuality {
    std::int64_t kernels = 0;
    double median_error = 0; ///< of |estimate - compiled| / compiled
    double exact = 0;        ///< share with the same number
    /// Share on the other side of 32 registers, where Mali halves its threads.
    double halving_wrong = 0;
};
[[nodiscard]] EstimateQuality
quality_of(std::span<const EstimatedKernel> kernels,
           int EstimatedKernel::*estimate = &EstimatedKernel::estimated);

/// Whether the goals are met: 15 % in the median for each family, and Mali's halving wrong in at
/// most 5 %.
[[nodiscard]] std::vector<Finding>
register_estimate_findings(const std::vector<EstimatedKernel>& kernels);

/// Its conditions say what was run, and on which devices.
DeviceExperiment run_register_estimates;

} // namespace texelscope::experiments
