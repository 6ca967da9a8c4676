#pragma once

#include "base/progress.hpp"
#include "base/stop.hpp"
#include "devices/profile/device_profile.hpp"
#include "networks/plan/plan.hpp"
#include "networks/training/training_step.hpp"
#include "workbench/network_studies/network_search.hpp"
#include "workbench/network_studies/network_simulation.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace texelscope::experiments {

/// How the papers' networks are tuned and simulated.
struct TunedNetworkOptions {
    std::size_t candidates = 24;     ///< of each kernel, timed beside the plan's own
    std::int64_t accesses = 20'000;  ///< warp accesses of each kernel that are simulated in time
    Storage storage = Storage::fp16; ///< of values and weights

    /// What planners are asked for.
    [[nodiscard]] NetworkSearchOptions search() const;
};

/// Who plans a network, by the name that the paper has for it.
struct NetworkPlanner {
    std::string name;
    std::function<PredictedPlan(const networks::Graph& graph, const DeviceProfile& device,
                                const NetworkSearchOptions& options, const Progress& progress,
                                const StopToken& stop)>
        plan; ///< the policy of the options does not count
};
/// One of policy_keys(), under that name.
[[nodiscard]] NetworkPlanner planner_of(std::string name, const std::string& policy);

/// A built-in network as planners take it. Throws bad_input where there is none of that name.
[[nodiscard]] networks::Graph planned_network(const std::string& name);
/// A step of training it, sample by sample: of classes by their cross entropy, of maps by the
/// squared error. A step of the weights comes after `samples` of them. Throws likewise.
[[nodiscard]] networks::TrainingStep planned_training(const std::string& name, int samples);

/// A network whose kernels were tuned, and then simulated one after the other.
struct TunedNetwork {
    PredictedPlan planned;
    std::vector<SimulatedKernel> kernels;

    /// Of a run, on average: each kernel by the share of the runs in which it is launched.
    [[nodiscard]] double total_ns() const;
    /// Likewise of the kernels of one pass, where the network is that step of training.
    [[nodiscard]] double total_ns(const networks::TrainingStep& step, networks::Pass pass) const;
};
/// Throws bad_input, with the kernel, where one has no time.
void check_simulated(const networks::Plan& plan, const std::vector<SimulatedKernel>& kernels);

/// Every framework tunes what it tunes on the device, here the simulated one: the fastest of each
/// kernel's candidates is taken. Throws bad_input where a kernel has no legal schedule or cannot be
/// simulated; Interrupted.
[[nodiscard]] TunedNetwork tuned_network(const NetworkPlanner& planner,
                                         const networks::Graph& graph, const DeviceProfile& device,
                                         const TunedNetworkOptions& options = {},
                                         const Progress& progress = {}, const StopToken& stop = {});

/// Convolutions and what is like them, as the papers tell them apart.
enum class ConvolutionKind { pointwise, three_by_three, depthwise, other, fully_connected };
inline constexpr ConvolutionKind all_convolution_kinds[] = {
    ConvolutionKind::pointwise, ConvolutionKind::three_by_three, ConvolutionKind::depthwise,
    ConvolutionKind::other, ConvolutionKind::fully_connected};
/// "1x1", "3x3", "depthwise", "other", "FC".
[[nodiscard]] std::string to_string(ConvolutionKind kind);

/// A convolution, or a matrix product of one row with constant weights, of a network.
struct NetworkConvolution {
    ConvolutionKind kind = ConvolutionKind::other;
    /// Of the input and the weights, stride and groups: equal where two are the same.
    std::string shape;
    double flops = 0;

    bool operator==(const NetworkConvolution&) const = default;
};
/// Nothing for other nodes.
[[nodiscard]] std::optional<NetworkConvolution> convolution_of(const networks::Graph& graph,
                                                               const networks::Node& node);
/// That a kernel begins with; nothing for others and for conversions.
[[nodiscard]] std::optional<NetworkConvolution> convolution_of(const networks::Plan& plan,
                                                               std::size_t kernel);

} // namespace texelscope::experiments
