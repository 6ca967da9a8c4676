#pragma once

#include "experiments/shared/experiment_device.hpp"
#include "model/tmmodel/kernel_cost.hpp"
#include "workbench/store/stored_result.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace texelscope::experiments {

// TMModel, section 4: what its symbols have to mean for its choices to be the best.

/// One operator and shape.
struct ReadingCase {
    std::string op;
    bool chosen_on = false; ///< readings are chosen on it; else they are judged on it
    /// Time of the choice over the best, of all_readings() in turn; where some configurations are
    /// alike to it, their geometric mean.
    std::vector<double> ratios;
    double bottleneck = 1; ///< the same of the bottleneck model
};

/// The readings' choices among measured kernels. The shapes of every kind of operator are used
/// alternately to choose a reading and to judge it, in their order. Results that are not ok are
/// left out.
[[nodiscard]] std::vector<ReadingCase> measured_readings(const std::vector<StoredResult>& results,
                                                         const DeviceProfile& device,
                                                         const Progress& progress = {},
                                                         const StopToken& stop = {});

/// How much is simulated, or run.
struct ReadingOptions {
    std::size_t draws = 100;     ///< configurations of each operator, at random,
    std::size_t first = 24;      ///< and the bottleneck model's first
    std::int64_t sample = 4'000; ///< warp accesses of each time (simulated_time())
    std::uint64_t seed = 1;
};
/// The same among configurations that are simulated or, on a real device, run. What cannot run
/// there is left out.
[[nodiscard]] std::vector<ReadingCase> timed_readings(const std::vector<Operator>& operators,
                                                      const ExperimentDevice& device,
                                                      const ReadingOptions& options = {},
                                                      const Progress& progress = {},
                                                      const StopToken& stop = {});

/// Geometric mean of a reading's ratios (its place in all_readings()) over the cases chosen on, or
/// over the others; 1 without cases.
[[nodiscard]] double reading_mean(const std::vector<ReadingCase>& cases, std::size_t reading,
                                  bool chosen_on);

/// Whether the reading of `refined` is the one to choose, and how good it is.
[[nodiscard]] std::vector<Finding> reading_findings(const std::vector<ReadingCase>& cases);

/// Its conditions say what was run, and on which devices.
DeviceExperiment run_model_readings;

} // namespace texelscope::experiments
