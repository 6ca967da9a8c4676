#pragma once

#include "base/progress.hpp"
#include "base/stop.hpp"
#include "devices/profile/device_profile.hpp"
#include "experiments/shared/experiment_device.hpp"
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

/// How the networks of the papers are tuned and timed.
struct TunedNetworkOptions {
    /// Candidates of each kernel that are timed beside the plan's own schedule.
    std::size_t candidates = 24;
    std::int64_t accesses = 20'000;  ///< warp accesses of each kernel that are simulated in time
    Storage storage = Storage::fp16; ///< of values and weights
    /// On a real device: runs of each candidate, and of the network.
    int runs = 5;

    /// The search options that planners get.
    [[nodiscard]] NetworkSearchOptions search() const;
};

/// Something that plans a network, with the name that the paper gives it.
struct NetworkPlanner {
    std::string name;
    std::function<PredictedPlan(const networks::Graph& graph, const DeviceProfile& device,
                                const NetworkSearchOptions& options, const Progress& progress,
                                const StopToken& stop)>
        plan; ///< ignores the policy of the options
};
/// The planner of a policy (policy_keys()), under the name of the paper.
[[nodiscard]] NetworkPlanner planner_of(std::string name, const std::string& policy);

/// A built-in network as planners take it. Throws bad_input where there is none of that name.
[[nodiscard]] networks::Graph planned_network(const std::string& name);
/// A step of training such a network sample by sample: with the cross entropy for classes, with the
/// squared error for maps. The weights are updated after `samples` samples. Throws as
/// planned_network() does.
[[nodiscard]] networks::TrainingStep planned_training(const std::string& name, int samples);

/// A network whose kernels were tuned, and then timed one after the other.
struct TunedNetwork {
    PredictedPlan planned;
    std::vector<double> kernel_ns; ///< of each kernel

    /// Time of a run in ns, on average over runs: each kernel counts by the share of the runs in
    /// which it is launched.
    [[nodiscard]] double total_ns() const;
    /// total_ns() of the kernels of one pass, where the network is that step of training.
    [[nodiscard]] double total_ns(const networks::TrainingStep& step, networks::Pass pass) const;
};
/// Throws bad_input, with the kernel, where one has no time.
void check_simulated(const networks::Plan& plan, const std::vector<SimulatedKernel>& kernels);

/// Plans and tunes a network. Frameworks tune on the device, so here they tune on the simulated or
/// the real one: the fastest of each kernel's candidates is taken. Throws bad_input where a kernel
/// has no legal schedule, or none that runs there; Interrupted.
[[nodiscard]] PredictedPlan tuned_plan(const NetworkPlanner& planner, const networks::Graph& graph,
                                       const ExperimentDevice& device,
                                       const TunedNetworkOptions& options = {},
                                       const Progress& progress = {}, const StopToken& stop = {});
/// tuned_plan(), then simulated, or run on drawn inputs, its outputs unchecked. Throws as that
/// does, bad_input where a kernel cannot be simulated, and as measure_network() does.
[[nodiscard]] TunedNetwork tuned_network(const NetworkPlanner& planner,
                                         const networks::Graph& graph,
                                         const ExperimentDevice& device,
                                         const TunedNetworkOptions& options = {},
                                         const Progress& progress = {}, const StopToken& stop = {});

/// Kinds of convolutions, and of the matrix products that are like them, as the papers tell them
/// apart.
enum class ConvolutionKind { pointwise, three_by_three, depthwise, other, fully_connected };
inline constexpr ConvolutionKind all_convolution_kinds[] = {
    ConvolutionKind::pointwise, ConvolutionKind::three_by_three, ConvolutionKind::depthwise,
    ConvolutionKind::other, ConvolutionKind::fully_connected};
/// "1x1", "3x3", "depthwise", "other", "FC".
[[nodiscard]] std::string to_string(ConvolutionKind kind);

/// A convolution, or a matrix product of one row with constant weights, of a network.
struct NetworkConvolution {
    ConvolutionKind kind = ConvolutionKind::other;
    /// Shapes of input and weights, stride and groups: two convolutions are the same where this is
    /// equal.
    std::string shape;
    double flops = 0;

    bool operator==(const NetworkConvolution&) const = default;
};
/// The convolution of a node; nothing for other nodes.
[[nodiscard]] std::optional<NetworkConvolution> convolution_of(const networks::Graph& graph,
                                                               const networks::Node& node);
/// The convolution that a kernel begins with; nothing for other kernels and for conversions.
[[nodiscard]] std::optional<NetworkConvolution> convolution_of(const networks::Plan& plan,
                                                               std::size_t kernel);

} // namespace texelscope::experiments
