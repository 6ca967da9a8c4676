#pragma once

#include "experiments/shared/choices.hpp"
#include "experiments/shared/experiment_result.hpp"
#include "model/tmmodel/calibration.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace texelscope::experiments {

// TMModel, section 6.5 with table 5: what it takes to find the configurations of Conv2Ds1 at all
// input sizes of table 3.

/// What a way to tune took for all shapes together.
struct TuningCost {
    std::string tuner;
    std::int64_t configurations = 0; ///< looked at
    std::int64_t runs = 0;           ///< of kernels on the device
    double model_seconds = 0;        ///< of the processor, for ranking
    double run_seconds = 0;          ///< of the device, each run once
    std::optional<double> paper_seconds = {};

    [[nodiscard]] double seconds() const { return model_seconds + run_seconds; }
};

/// Seconds of processor time since some moment.
using ProcessorClock = std::function<double()>;
[[nodiscard]] double processor_seconds(); ///< of this process

struct TuningCostOptions {
    std::int64_t sample = 1'500; ///< warp accesses of a simulated run
    /// Of each search and shape: the mean run is taken from so many.
    int draws = 2;
};

/// What each way to tune takes for all shapes: the frameworks of all_frameworks, then "TMModel"
/// (the model as printed), "descent" (the same model, one knob after the other), "bottleneck" (the
/// choice of the bottleneck model) and "shortlist" (its first 64, each run). Not all runs are
/// timed: their mean is taken from a few, drawn at random from a search's space, or evenly
/// spaced in the order of the shortlist. Throws Interrupted.
[[nodiscard]] std::vector<TuningCost>
measure_tuning_costs(std::span<const Operator> shapes, const ExperimentDevice& device,
                     const Calibration& calibration, const ProcessorClock& clock,
                     const TuningCostOptions& options = {}, const Progress& progress = {},
                     const StopToken& stop = {});

/// What the paper says of table 5, decided by the data.
[[nodiscard]] std::vector<Finding> tuning_cost_findings(const std::vector<TuningCost>& costs);

/// Its conditions say what was run, and on which devices.
DeviceExperiment run_tuning_cost;

} // namespace texelscope::experiments
