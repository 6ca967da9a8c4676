#pragma once

#include "experiments/shared/experiment_device.hpp"
#include "experiments/shared/tuned_network.hpp"
#include "workbench/tuning/work_group_rules.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace texelscope::experiments {

// Jiang et al. (APSys 2020): what a GPU does while networks run (figure 3), how long they take with
// the work-groups of TFLite and with those of the rules (figure 6), and how long TFLite tries
// work-groups before (table 2).

/// A network on a device. Its tiles and layouts are TFLite's in either case.
struct WorkGroupNetwork {
    std::string device;
    std::string network;
    double tflite_ns = 0;
    double rules_ns = 0;
    // Shares of a network's time with TFLite's work-groups; each kernel counts by its time. A real
    // device tells none of them: they are 0.
    double core_utilisation = 0;   ///< of the cores' cycles, those before a core is done
    double alu_utilisation = 0;    ///< of these, those in which arithmetic is under way
    double memory_utilisation = 0; ///< of what memory could bring
    double rules_alu_utilisation = 0;
    std::int64_t sizes = 0; ///< that TFLite tries, of all kernels that differ
    double trying_ns = 0;   ///< each once, at the time of the kernel as it is chosen
    bool measured = false;  ///< on a real device

    /// Share of the time that the rules save; negative where they lose.
    [[nodiscard]] double saved() const { return 1 - rules_ns / tflite_ns; }
};

struct WorkGroupNetworkOptions {
    std::vector<std::string> networks{"mobilenet-v1", "nasnet-mobile", "inception-v3",
                                      "densenet-121", "densenet-201",  "resnet-101",
                                      "resnet-152",   "vgg-16",        "vgg-19"};
    std::int64_t accesses = 5'000; ///< warp accesses of each kernel that is simulated
    /// Of the sizes that TFLite would run as they are, evenly spaced.
    std::size_t trials = 8;
    std::uint64_t seed = 1; ///< of the draw from the sizes that the rules leave
};

/// TFLite's work-group for a grid of tiles along channels, width and height where it tries none, as
/// on Adreno: the largest divisor of the channels up to 64, then as wide as the grid and as high as
/// 256 work-items allow, half as high where that is the whole even height. For depthwise
/// convolutions: 8, 4 or 2 of the channels, half the width, and as high as the device's limit
/// allows.
[[nodiscard]] Dim3 tflite_fast_group(const Dim3& grid, bool depthwise, const DeviceProfile& device);

/// The rules one after the other, each of those that are left; one that would leave none is passed
/// over. Of those that are left at the end one is drawn, as in the paper (section 4.1).
[[nodiscard]] Dim3 group_by_rules(const RuleTerms& terms, std::uint64_t seed);

/// Simulated or, on a real device, run as a whole. Throws bad_input where a kernel cannot be
/// simulated, or cannot run with its work-group; as measure_network() does; Interrupted.
[[nodiscard]] WorkGroupNetwork
measure_work_group_network(const std::string& network, const ExperimentDevice& device,
                           const WorkGroupNetworkOptions& options = {},
                           const Progress& progress = {}, const StopToken& stop = {});
[[nodiscard]] WorkGroupNetwork
measure_work_group_network(const networks::Graph& graph, const ExperimentDevice& device,
                           const WorkGroupNetworkOptions& options = {},
                           const Progress& progress = {}, const StopToken& stop = {});

/// What the paper says, decided by the data.
[[nodiscard]] std::vector<Finding>
work_group_network_findings(const std::vector<WorkGroupNetwork>& all);

[[nodiscard]] PanelPlot work_group_network_plot(const std::vector<WorkGroupNetwork>& all);

/// Its conditions say what was run, and on which devices.
DeviceExperiment run_work_group_networks;

} // namespace texelscope::experiments
