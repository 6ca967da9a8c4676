#pragma once

#include "experiments/shared/tuned_network.hpp"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace texelscope::experiments {

// TMModel, section 6.5 with table 7: how long a network takes with the paper's choices, with MNN's
// and with DNNFusion's, on which its own are built. Here all three plan the same kernels.

/// A network's time, planned one way.
struct InferenceTime {
    std::string network;
    std::string planner; ///< "MNN", "DNNFusion", "ours"
    std::int64_t kernels = 0;
    double simulated_ns = 0;
    /// From the first kernel's start to the last one's end, on the device.
    std::optional<double> measured_ns = {};
};
struct NetworkInference {
    std::string device;
    std::string measured_on; ///< empty: nothing was measured
    std::vector<InferenceTime> times;

    [[nodiscard]] const InferenceTime* find(const std::string& network,
                                            const std::string& planner) const;
};

/// The planners in the paper's order. DNNFusion's are the rules of SmartMem's paper: TMModel is
/// built on "DNNFusion with the latest memory optimization", which is that (section 6.3, reference
/// 49), and where DNNFusion itself puts tensors is not published.
[[nodiscard]] std::vector<NetworkPlanner> inference_planners();

struct InferenceOptions {
    std::vector<std::string> networks{"vit-b-16", "resnet-18"};
    TunedNetworkOptions tuning = {};
};
/// Simulated; on a real device the networks run as well, tuned anew there. Throws as
/// tuned_network() and measure_network() do.
[[nodiscard]] NetworkInference measure_inference(const ExperimentDevice& device,
                                                 const InferenceOptions& options = {},
                                                 const Progress& progress = {},
                                                 const StopToken& stop = {});

/// What the paper says of table 7, decided by the data.
[[nodiscard]] std::vector<Finding> inference_findings(const NetworkInference& data);

[[nodiscard]] PanelPlot inference_plot(const NetworkInference& data);

/// Its conditions say what was run, and on which devices.
DeviceExperiment run_network_inference;

} // namespace texelscope::experiments
