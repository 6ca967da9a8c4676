#pragma once

#include "experiments/shared/tuned_network.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace texelscope::experiments {

// TMModel, section 6.3 with table 4 and section 6.5 with table 6: how long a sample of training
// takes with the paper's choices, with MNN's and with DNNFusion's, on which its own are built; here
// with TFLite's and TVM's beside, and all over the same kernels.

/// The paper's numbers on training a network.
struct PublishedTraining {
    std::string network; ///< its name here
    std::string called;  ///< in the paper
    double over_mnn = 0; ///< MNN's time over the paper's
    std::optional<double> over_dnnfusion = {};
    std::optional<double> mnn_ms = {}, dnnfusion_ms = {}, ours_ms = {};

    /// Time of a planner; nothing where the paper has none.
    [[nodiscard]] std::optional<double> ms(const std::string& planner) const;
    /// A planner's time over the paper's own; nothing where the paper has none.
    [[nodiscard]] std::optional<double> over_ours(const std::string& planner) const;
};
/// On an Adreno 740; on a Mali-G77, where the ratios alone are given.
[[nodiscard]] std::vector<PublishedTraining> published_table4();
[[nodiscard]] std::vector<PublishedTraining> published_table6();

/// The time of training with one sample, planned one way, averaged over the samples of one step of
/// the weights.
struct TrainingTime {
    std::string network;
    std::string planner; ///< "MNN", "TFLite", "TVM", "DNNFusion", "ours"
    std::int64_t kernels = 0;
    double forward_ns = 0, backward_ns = 0, update_ns = 0; ///< simulated
    std::optional<double> measured_ns = {};                ///< of all kernels on the device
    /// One line, where there is no plan, and so no time.
    std::string why_not = {};

    [[nodiscard]] double simulated_ns() const { return forward_ns + backward_ns + update_ns; }
};
struct TrainingTimes {
    std::string device;
    std::string measured_on; ///< empty: nothing was measured
    std::vector<PublishedTraining> published;
    std::vector<TrainingTime> times;

    [[nodiscard]] const TrainingTime* find(const std::string& network,
                                           const std::string& planner) const;
};

/// MNN, TFLite, TVM, DNNFusion, ours; see inference_planners().
[[nodiscard]] std::vector<NetworkPlanner> training_planners();

struct TrainingTimesOptions {
    std::vector<NetworkPlanner> planners = training_planners();
    int samples = 32; ///< of a step of the weights, as in the paper
    TunedNetworkOptions tuning{.candidates = 24, .accesses = 8'000, .storage = Storage::fp32};
};
/// Networks and planners side by side on all processors, simulated; on a real device they run as
/// well, tuned anew there. A plan that a framework refuses has no time; else throws as
/// tuned_network() and measure_network() do.
[[nodiscard]] TrainingTimes measure_training(const ExperimentDevice& device,
                                             std::vector<PublishedTraining> published,
                                             const TrainingTimesOptions& options = {},
                                             const Progress& progress = {},
                                             const StopToken& stop = {});

/// What the paper says of its table, decided by the data.
[[nodiscard]] std::vector<Finding> training_findings(const TrainingTimes& data);

[[nodiscard]] ResultTable training_table(const TrainingTimes& data);
[[nodiscard]] PanelPlot training_plot(const TrainingTimes& data);

/// Its conditions say what was run, and on which devices.
DeviceExperiment run_training_table4, run_training_table6;

} // namespace texelscope::experiments
