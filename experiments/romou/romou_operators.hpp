#pragma once

#include "experiments/shared/tuned_network.hpp"

#include <map>
#include <string>
#include <vector>

namespace texelscope::experiments {

// Romou (MobiCom 2022), sections 5.2 and 5.3 with figures 13 to 16: the convolutions of four
// networks and two fully connected operators, against TVM and TFLite. Here all planners plan
// kernels of the same generator.

/// A convolution, and how long it takes as each planner has it.
struct OperatorTimes {
    std::string network;
    NetworkConvolution convolution;
    std::int64_t count = 0;                ///< how often the network has it
    std::map<std::string, double> ns = {}; ///< of one, by planner: mean of all
};
/// On one device.
struct OperatorStudy {
    std::string device;
    std::vector<OperatorTimes> operators; ///< of each network each once, in the order of its first
    std::vector<std::string> left_out = {}; ///< of a real device: a reason for each plan

    /// Times of `planner` over ours, for the convolutions of one kind in all networks. A
    /// convolution that several networks have counts once, with its mean time.
    [[nodiscard]] std::vector<double> speedups(const std::string& planner,
                                               ConvolutionKind kind) const;
    /// The time of all convolutions of a network, each as often as it occurs; 0 where there are
    /// none.
    [[nodiscard]] double sum_ns(const std::string& network, const std::string& planner) const;
    /// sum_ns() of a planner over ours; 0 where there are no convolutions.
    [[nodiscard]] double network_speedup(const std::string& network,
                                         const std::string& planner) const;
    /// In the order of the operators.
    [[nodiscard]] std::vector<std::string> networks() const;
};

/// TVM as the paper has it, without textures: everything in buffers, NCHW4c. TVM as it became, with
/// textures between convolutions. TFLite's GPU delegate. And ours.
[[nodiscard]] std::vector<NetworkPlanner> romou_planners();

struct OperatorOptions {
    std::vector<std::string> networks{"mobilenet-v1", "squeezenet-1.0", "resnet-18",
                                      "inception-v3"};
    TunedNetworkOptions tuning{.candidates = 8, .accesses = 5'000};
};
/// The two fully connected operators of BERT (section 5.2), one after the other.
[[nodiscard]] networks::Graph bert_operators();

/// Throws as tuned_network() does; a plan that a real device does not run is left out.
[[nodiscard]] OperatorStudy measure_operators(const ExperimentDevice& device,
                                              const OperatorOptions& options = {},
                                              const Progress& progress = {},
                                              const StopToken& stop = {});

/// How many different convolutions of each kind there are in the networks and among the fully
/// connected operators.
[[nodiscard]] std::map<ConvolutionKind, std::int64_t>
operator_counts(const OperatorOptions& options = {});

/// What the paper says, decided by the data: the first study is of an Adreno, the second of a Mali,
/// where there is one.
[[nodiscard]] std::vector<Finding>
operator_findings(const std::vector<OperatorStudy>& studies,
                  const std::map<ConvolutionKind, std::int64_t>& counts);

[[nodiscard]] PanelPlot operator_plot(const std::vector<OperatorStudy>& studies);

/// Its conditions say what was run, and on which devices.
DeviceExperiment run_romou_operators;

} // namespace texelscope::experiments
