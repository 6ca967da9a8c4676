#pragma once

#include "base/progress.hpp"
#include "networks/training/training_step.hpp"
#include "workbench/network_studies/network_measurement.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

namespace texelscope::workbench::network_studies {

/// The data that a network is trained on. Samples lie along the first dimension of each input and
/// of the target.
struct TrainingData {
    std::int64_t samples = 0;
    /// By input: the numbers of all samples, one behind the other.
    std::map<networks::ValueId, std::vector<float>> numbers;
};

/// Random data: inputs drawn from [-1, 1]; as targets one class per row for a cross entropy, else
/// numbers drawn likewise.
[[nodiscard]] TrainingData drawn_data(const networks::TrainingStep& step, networks::Loss loss,
                                      std::int64_t samples, std::uint64_t seed);

/// The numbers of an input in run number `run`, from 0: the next batch of samples, starting over
/// after the last.
[[nodiscard]] std::vector<float> batch_of(const networks::TrainingStep& step,
                                          const TrainingData& data, networks::ValueId input,
                                          std::int64_t run);

/// The state of a training that is under way.
struct TrainingState {
    std::vector<double> losses; ///< by step: the loss, averaged over the step's runs
    /// Inputs that are carried from run to run; empty: as the step begins.
    networks::TensorNumbers carried;
    /// By weight: the gradient of the last run's loss, where gradients were asked for.
    networks::TensorNumbers gradients;
};

struct TrainingRun {
    TrainingData data;
    std::int64_t steps = 10; ///< number of steps, those of `from` included
    /// Steps that are run as one job. After each job the device builds and fills everything anew.
    std::int64_t at_once = 10;
    int accumulate = 1;      ///< runs whose gradients one step accumulates
    TrainingState from = {}; ///< the state from which training goes on
    std::function<void(const TrainingState&)> reached = {}; ///< called after each job
};

struct TrainedNetwork {
    TrainingState state;
    /// The measurement of the last job; empty where all steps were done before.
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
