#include "experiments/shared/tuned_network.hpp"

#include "base/error.hpp"
#include "base/lists.hpp"
#include "base/progress.hpp"
#include "devices/launch/launch_options.hpp"
#include "networks/models/models.hpp"
#include "networks/passes/simplify.hpp"
#include "workbench/network_studies/kernel_words.hpp"
#include "workbench/network_studies/network_measurement.hpp"
#include "workbench/network_studies/network_tuning.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

namespace texelscope::experiments {
namespace {

using networks::Graph;
using networks::Node;
using networks::Shape;

double elements(const Shape& shape)
{
    return static_cast<double>(networks::element_count(shape));
}

/// Kind, shape and floating-point operations of a convolution.
NetworkConvolution of_conv(const Graph& graph, const Node& node)
{
    const Shape& input = graph.value(node.inputs[0]).shape;
    const Shape& weights = graph.value(node.inputs[1]).shape;
    const std::int64_t groups = node.attributes.integer("group", 1);
    const std::vector<std::int64_t> strides = node.attributes.integers("strides");
    NetworkConvolution found;
    const bool of_two = weights.size() == 4;
    if (groups > 1 && weights[1] == 1) {
        found.kind = ConvolutionKind::depthwise;
    } else if (of_two && weights[2] == 1 && weights[3] == 1) {
        found.kind = ConvolutionKind::pointwise;
    } else if (of_two && weights[2] == 3 && weights[3] == 3) {
        found.kind = ConvolutionKind::three_by_three;
    }
    found.shape = fmt::format("{} by {}", networks::to_string(input), networks::to_string(weights));
    if (!strides.empty() && strides.front() != 1) {
        found.shape += fmt::format(" stride {}", strides.front());
    }
    // Each output is a sum over the taps and the input channels of its group: weights / outputs
    // products.
    const double sums = elements(weights) / static_cast<double>(weights[0]);
    found.flops = 2 * sums * elements(graph.value(node.outputs[0]).shape);
    return found;
}

constexpr std::uint64_t weights_seed = 1; // weights do not matter to times

const networks::BuiltInModel& built_in(const std::string& name)
{
    const networks::BuiltInModel* const model = networks::find_model(name);
    if (model == nullptr) {
        throw bad_input("there is no network of that name", name);
    }
    return *model;
}

/// Time of those kernels in a run, in ns. A kernel that runs only in some runs counts by its share.
double share_of(const TunedNetwork& network, const std::function<bool(std::size_t kernel)>& counts)
{
    double sum = 0;
    for (std::size_t k = 0; k < network.kernel_ns.size(); ++k) {
        sum += counts(k) ? network.planned.plan.kernels[k].share() * network.kernel_ns[k] : 0;
    }
    return sum;
}

} // namespace

NetworkSearchOptions TunedNetworkOptions::search() const
{
    NetworkSearchOptions search;
    search.candidates = candidates;
    search.storage = storage;
    return search;
}

NetworkPlanner planner_of(std::string name, const std::string& policy)
{
    return {std::move(name),
            [policy](const Graph& graph, const DeviceProfile& device, NetworkSearchOptions options,
                     const Progress& progress, const StopToken& stop) {
                options.policy = policy;
                return best_plan(graph, device, options, progress, stop);
            }};
}

Graph planned_network(const std::string& name)
{
    return networks::simplified(built_in(name).make(1, weights_seed));
}

networks::TrainingStep planned_training(const std::string& name, int samples)
{
    const networks::BuiltInModel& model = built_in(name);
    // Batch normalisations stay: training takes their statistics from the batch.
    Graph network = networks::simplified(model.make(1, weights_seed), false);
    networks::TrainingOptions options;
    // An output of two dimensions is a batch of classes; maps have more.
    const bool classes = network.value(network.outputs.front()).shape.size() == 2;
    options.loss = classes ? networks::Loss::cross_entropy : networks::Loss::mean_squared_error;
    options.accumulate = samples;
    return networks::training_step(network, options);
}

double TunedNetwork::total_ns() const
{
    return share_of(*this, [](std::size_t) { return true; });
}

double TunedNetwork::total_ns(const networks::TrainingStep& step, networks::Pass pass) const
{
    const auto& planned_kernels = planned.plan.kernels;
    return share_of(*this, [&](std::size_t k) {
        return step.passes[planned_kernels[k].nodes.front()] == pass;
    });
}

void check_simulated(const networks::Plan& plan, const std::vector<SimulatedKernel>& kernels)
{
    for (std::size_t k = 0; k < kernels.size(); ++k) {
        if (!kernels[k].time) {
            throw bad_input(kernels[k].why_not,
                            fmt::format("{}, kernel {}", plan.graph.name, kernel_title(plan, k)));
        }
    }
}

PredictedPlan tuned_plan(const NetworkPlanner& planner, const Graph& graph,
                         const ExperimentDevice& device, const TunedNetworkOptions& options,
                         const Progress& progress, const StopToken& stop)
{
    PredictedPlan plan =
        planner.plan(graph, device.profile, options.search(), part_progress(progress, 0, 2), stop);
    if (options.candidates > 0) {
        const KernelTimer timer = device.real() ? time_on(*device.on, options.runs, stop)
                                                : time_on(device.profile, options.accesses, stop);
        (void)tune_plan(plan, device.profile, timer, part_progress(progress, 1, 2), stop);
    }
    return plan;
}

TunedNetwork tuned_network(const NetworkPlanner& planner, const Graph& graph,
                           const ExperimentDevice& device, const TunedNetworkOptions& options,
                           const Progress& progress, const StopToken& stop)
{
    const auto part = [&](std::size_t i) { return part_progress(progress, i, 2, graph.name); };
    TunedNetwork tuned{tuned_plan(planner, graph, device, options, part(0), stop), {}};
    if (device.real()) {
        networks::NetworkRunOptions run;
        run.samples = options.runs;
        tuned.kernel_ns = measure_network(graph, tuned.planned.plan, drawn_inputs(graph, 1),
                                          *device.on, run, false, stop)
                              .kernel_ns;
        return tuned;
    }
    const std::vector<SimulatedKernel> kernels =
        simulate_network(tuned.planned.plan, device.profile, options.accesses, part(1), stop);
    check_simulated(tuned.planned.plan, kernels);
    tuned.kernel_ns =
        mapped(kernels, [](const SimulatedKernel& kernel) { return kernel.time->value; });
    return tuned;
}

std::string to_string(ConvolutionKind kind)
{
    constexpr std::array names{"1x1", "3x3", "depthwise", "other", "FC"};
    return names[static_cast<std::size_t>(kind)];
}

std::optional<NetworkConvolution> convolution_of(const Graph& graph, const Node& node)
{
    if (node.op == "Conv") {
        return of_conv(graph, node);
    }
    if (node.op != "MatMul" && node.op != "Gemm") {
        return std::nullopt;
    }
    // Only products of a single row are fully connected layers of a batch of one.
    const Shape& output = graph.value(node.outputs[0]).shape;
    if (!graph.constants.contains(node.inputs[1]) ||
        networks::element_count(output) != output.back()) {
        return std::nullopt;
    }
    const Shape& weights = graph.value(node.inputs[1]).shape;
    return NetworkConvolution{ConvolutionKind::fully_connected,
                              fmt::format("{} by {}",
                                          networks::to_string(graph.value(node.inputs[0]).shape),
                                          networks::to_string(weights)),
                              2 * elements(weights)};
}

std::optional<NetworkConvolution> convolution_of(const networks::Plan& plan, std::size_t kernel)
{
    const networks::PlannedKernel& planned = plan.kernels.at(kernel);
    return planned.conversion ? std::nullopt
                              : convolution_of(plan.graph, plan.graph.nodes[planned.nodes.front()]);
}

} // namespace texelscope::experiments
