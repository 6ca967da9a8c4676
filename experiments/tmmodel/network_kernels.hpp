#pragma once

#include "experiments/shared/choices.hpp"
#include "experiments/shared/experiment_result.hpp"

#include <optional>
#include <string>
#include <vector>

namespace texelscope::experiments {

// TMModel, section 6.5 with table 6: the same choices on another architecture, a Mali G77, against
// MNN. The paper's are latencies of training whole networks; here the forward kernels that they are
// made of are compared.

/// A kernel of a network at its own shape.
struct NetworkKernel {
    std::string network;
    Operator op;
    int count = 1; ///< how often the network has it
};

/// Depthwise and 1x1 convolutions of MobileNetV2 (Sandler et al., CVPR 2018, table 2; 224x224,
/// width 1) and the matrix products of ViT-B/16 (Dosovitskiy et al., ICLR 2021, table 1; 197
/// tokens, 12 layers of 768, 12 heads).
[[nodiscard]] std::vector<NetworkKernel> network_kernels();

struct NetworkResult {
    NetworkKernel kernel;
    ComparedChoices choices;

    [[nodiscard]] double speedup() const; ///< over MNN
};
/// On one device.
struct NetworkStudy {
    std::string device;
    std::vector<NetworkResult> kernels;
    std::vector<std::string> left_out = {}; ///< of a real device: a reason for each kernel

    /// Time of all of a network's kernels, each as often as it is there, by MNN's choices over
    /// ours. Nothing without any.
    [[nodiscard]] std::optional<double>
    speedup(const std::string& network,
            TimedChoice ComparedChoices::*ours = &ComparedChoices::shortlist) const;
};
/// Throws bad_input where a real device runs none of the kernels.
[[nodiscard]] NetworkStudy measure_network_kernels(const std::vector<NetworkKernel>& kernels,
                                                   const ExperimentDevice& device,
                                                   const CompareOptions& options = {},
                                                   const Progress& progress = {},
                                                   const StopToken& stop = {});

/// What the paper says of table 6, decided by the data: the paper's device first, or a real device
/// alone.
[[nodiscard]] std::vector<Finding> network_findings(const std::vector<NetworkStudy>& studies);

[[nodiscard]] PanelPlot network_plot(const std::vector<NetworkStudy>& studies);

/// Its conditions say what was run, and on which devices.
DeviceExperiment run_network_kernels;

} // namespace texelscope::experiments
