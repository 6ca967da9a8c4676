#pragma once

#include "base/progress.hpp"
#include "networks/training/training_step.hpp"
#include "workbench/network_studies/network_measurement.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

namespace texelscope::workbench::network_studies {

/// What a network is trained on: samples along the first dimension of each input, and of the
/// target.
struct TrainingData {
    std::int64_t samples = 0;
    /// Of all samples, one behind the other.
    std::map<networks::ValueId, std::vector<float>> numbers;
};

/// Inputs drawn in [-1, 1]; of targets one class of each row for a cross entropy, else numbers
/// drawn likewise.
[[nodiscard]] TrainingData drawn_data(const networks::TrainingStep& step, networks::Loss loss,
                                      std::int64_t samples, std::uint64_t seed);

/// The numbers of an input in a run, from 0: the next batch of samples, the first after the last.
[[nodiscard]] std::vector<float> batch_of(const networks::TrainingStep& step,
                                          const TrainingData& data, networks::ValueId input,
                                          std::int64_t run);

/// Where training has come to.
struct TrainingState {
    std::vector<double> losses;      ///< of each step, the mean over its runs
    networks::TensorNumbers carried; ///< inputs that outlive a run; empty: as the step begins
    /// By weight: of the last run's loss; where they were asked for.
    networks::TensorNumbers gradients;
};

struct TrainingRun {
    TrainingData data;
    std::int64_t steps = 10; ///< altogether
    /// Steps of one job: then the device has built and filled everything anew.
    std::int64_t at_once = 10;
    int accumulate = 1;                                     ///< runs of a step
    TrainingState from = {};                                ///< where it goes on
    std::function<void(const TrainingState&)> reached = {}; ///< called after each job
};

struct TrainedNetwork {
    TrainingState state;
    /// Of the last job's runs; nothing has run where all steps were done before.
    NetworkMeasurement measured;
};

/// Trains a planned step on a device. The same plan, data and state give the same numbers, wherever
/// it was interrupted. Throws as measure_network() does, and bad_input where a loss is no number
/// any more.
[[nodiscard]] TrainedNetwork train_network(const networks::TrainingStep& step,
                                           const networks::Plan& plan, const TrainingRun& run,
                                           const devices::OpenClDevice& device,
                                           const networks::NetworkRunOptions& options,
                                           bool check = false, const Progress& progress = {},
                                           const StopToken& stop = {});

} // namespace texelscope::workbench::network_studies
