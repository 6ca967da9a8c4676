#include "experiments/romou/romou_operators.hpp"

#include "base/averages.hpp"
#include "base/lists.hpp"
#include "base/progress.hpp"
#include "workbench/network_studies/policies/policy_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <set>
#include <utility>

namespace texelscope::experiments {
// All planners plan the same kernels from one generator, so what differs is where tensors lie and
// which part of a schedule is searched. Networks are tuned and simulated or run as a whole
// (tuned_network()), and the times of their convolutions are collected by shape.
namespace {

constexpr const char* tvm_in_buffers = "TVM, buffers";
constexpr const char* tvm_in_textures = "TVM, textures";
constexpr const char* tflite = "TFLite";
constexpr const char* romou = "ours";
constexpr const char* bert = "BERT";

/// A value in a buffer as one row, in the order of its dimensions.
codegen::TensorLayout row_of_buffer(const ValueToLay& value)
{
    codegen::TensorLayout layout{.packed = value.packed(), .memory = Memory::buffer};
    layout.across.resize(value.shape().size());
    std::iota(layout.across.begin(), layout.across.end(), 0);
    return layout;
}

KernelRule buffers_alone(const KernelToTile&)
{
    KernelRule rule; // tile and work-group are open, so they are tuned
    rule.weights_in = Memory::buffer;
    return rule;
}

/// TVM as the paper measured it: its version of 2021 has no textures ("Current kernel generators
/// fail to utilize texture cache", section 3.3).
NetworkPlanner buffers_planner()
{
    return {tvm_in_buffers, [](const networks::Graph& graph, const DeviceProfile& device,
                               const NetworkSearchOptions& options, const Progress& progress,
                               const StopToken& stop) {
                LayoutPolicy policy = find_policy("tvm");
                policy.layout = row_of_buffer;
                policy.kernel = buffers_alone;
                return plan_by_policy(policy, graph, device, options, progress, stop);
            }};
}

/// Adds the convolutions of one tuned network. One that occurs several times in it has its mean
/// time.
void add(OperatorStudy& study, const std::string& network, const std::string& planner,
         const TunedNetwork& tuned)
{
    struct Sum {
        double ns = 0;
        std::int64_t count = 0;
    };
    std::vector<std::pair<NetworkConvolution, Sum>> sums;
    for (std::size_t k = 0; k < tuned.kernel_ns.size(); ++k) {
        // Fully connected layers of the CNNs are not among the paper's 96 operators; those of BERT
        // are.
        if (const auto convolution = convolution_of(tuned.planned.plan, k);
            convolution &&
            (convolution->kind != ConvolutionKind::fully_connected || network == bert)) {
            auto found =
                std::ranges::find(sums, *convolution, &std::pair<NetworkConvolution, Sum>::first);
            if (found == sums.end()) {
                found = sums.insert(sums.end(), {*convolution, {}});
            }
            found->second.ns += tuned.kernel_ns[k];
            ++found->second.count;
        }
    }
    for (const auto& [convolution, sum] : sums) {
        auto found =
            std::ranges::find_if(study.operators, [&, &of = convolution](const OperatorTimes& one) {
                return one.network == network && one.convolution == of;
            });
        if (found == study.operators.end()) {
            found =
                study.operators.insert(study.operators.end(), {network, convolution, sum.count});
        }
        found->ns[planner] = sum.ns / static_cast<double>(sum.count);
    }
}

networks::Graph graph_of(const std::string& network)
{
    return network == bert ? bert_operators() : planned_network(network);
}

std::vector<std::string> with_bert(std::vector<std::string> networks)
{
    networks.emplace_back(bert);
    return networks;
}

/// ns in us, to the nanosecond.
double in_us(double ns)
{
    return std::round(ns) / 1000;
}

/// One row for each convolution and planner; `speedup` is its time over ours.
ResultTable table_of(const std::vector<OperatorStudy>& studies)
{
    ResultTable table{
        {"device", "network", "kind", "operator", "count", "planner", "us", "speedup"}, {}};
    for (const OperatorStudy& study : studies) {
        for (const OperatorTimes& one : study.operators) {
            for (const auto& [planner, ns] : one.ns) {
                const auto ours = one.ns.find(romou);
                table.rows.push_back({study.device, one.network, to_string(one.convolution.kind),
                                      one.convolution.shape, one.count, planner, in_us(ns),
                                      ours == one.ns.end()
                                          ? ResultTable::Value("-")
                                          : std::round(1000 * ns / ours->second) / 1000});
            }
        }
    }
    return table;
}

/// Sums over the convolutions of each network, as figure 15 and figure 16 compare them.
ResultTable network_table(const std::vector<OperatorStudy>& studies)
{
    ResultTable table{{"device", "network", "planner", "us", "speedup"}, {}};
    for (const OperatorStudy& study : studies) {
        for (const std::string& network : study.networks()) {
            for (const NetworkPlanner& planner : romou_planners()) {
                table.rows.push_back(
                    {study.device, network, planner.name,
                     in_us(study.sum_ns(network, planner.name)),
                     std::round(1000 * study.network_speedup(network, planner.name)) / 1000});
            }
        }
    }
    return table;
}

} // namespace

networks::Graph bert_operators()
{
    networks::Graph graph;
    graph.name = bert;
    // A batch of one token, as fully connected layers of 768 x 3072 and back (section 5.2).
    const auto product = [&](networks::ValueId input, std::int64_t in, std::int64_t out) {
        const networks::ValueId weights =
            graph.add_constant(fmt::format("weights_{}", out), {in, out},
                               std::vector<float>(static_cast<std::size_t>(in * out), 0.01F));
        const networks::ValueId output = graph.add_value(fmt::format("output_{}", out), {1, out});
        graph.nodes.push_back(
            {fmt::format("product_{}", out), "MatMul", {input, weights}, {output}, {}});
        return output;
    };
    const networks::ValueId input = graph.add_value("input", {1, 768});
    graph.inputs = {input};
    graph.outputs = {product(product(input, 768, 3072), 3072, 768)};
    return graph;
}

std::vector<NetworkPlanner> romou_planners()
{
    return {buffers_planner(), planner_of(tvm_in_textures, "tvm"), planner_of(tflite, "mldrift"),
            planner_of(romou, "ours")};
}

std::vector<double> OperatorStudy::speedups(const std::string& planner, ConvolutionKind kind) const
{
    // One that several networks have counts once, with the geometric mean of its ratios.
    std::map<std::string, std::vector<double>> by_shape;
    for (const OperatorTimes& one : operators) {
        if (one.convolution.kind == kind && one.ns.contains(planner) && one.ns.contains(romou)) {
            by_shape[one.convolution.shape].push_back(one.ns.at(planner) / one.ns.at(romou));
        }
    }
    return mapped(by_shape, [](const auto& one) { return base::geometric_mean(one.second); });
}

double OperatorStudy::sum_ns(const std::string& network, const std::string& planner) const
{
    double sum = 0;
    for (const OperatorTimes& one : operators) {
        if (const auto found = one.ns.find(planner);
            one.network == network && found != one.ns.end()) {
            sum += found->second * static_cast<double>(one.count);
        }
    }
    return sum;
}

double OperatorStudy::network_speedup(const std::string& network, const std::string& planner) const
{
    // Without our plan there is nothing to compare with.
    const double ours = sum_ns(network, romou);
    return ours > 0 ? sum_ns(network, planner) / ours : 0;
}

std::vector<std::string> OperatorStudy::networks() const
{
    std::vector<std::string> names;
    for (const OperatorTimes& one : operators) {
        if (std::ranges::find(names, one.network) == names.end()) {
            names.push_back(one.network);
        }
    }
    return names;
}

OperatorStudy measure_operators(const ExperimentDevice& device, const OperatorOptions& options,
                                const Progress& progress, const StopToken& stop)
{
    OperatorStudy study{device.name(), {}};
    LeftOut left_out(device);
    const std::vector<NetworkPlanner> planners = romou_planners();
    const std::vector<std::string> networks = with_bert(options.networks);
    for (std::size_t n = 0; n < networks.size(); ++n) {
        const networks::Graph graph = graph_of(networks[n]);
        for (std::size_t p = 0; p < planners.size(); ++p) {
            const Progress part = part_progress(progress, n * planners.size() + p,
                                                networks.size() * planners.size(), device.name());
            left_out.run([&] {
                add(study, networks[n], planners[p].name,
                    tuned_network(planners[p], graph, device, options.tuning, part, stop));
            });
        }
    }
    left_out.require(!study.operators.empty());
    study.left_out = left_out.reasons();
    return study;
}

std::map<ConvolutionKind, std::int64_t> operator_counts(const OperatorOptions& options)
{
    std::map<ConvolutionKind, std::set<std::string>> shapes;
    for (const std::string& name : with_bert(options.networks)) {
        const networks::Graph graph = graph_of(name);
        for (const networks::Node& node : graph.nodes) {
            if (const auto found = convolution_of(graph, node);
                found && (found->kind != ConvolutionKind::fully_connected || name == bert)) {
                shapes[found->kind].insert(found->shape);
            }
        }
    }
    std::map<ConvolutionKind, std::int64_t> counts;
    for (const auto& [kind, all] : shapes) {
        counts[kind] = std::ssize(all);
    }
    return counts;
}

ExperimentResult run_romou_operators(const ExperimentDevice& device, const Progress& progress,
                                     const StopToken& stop)
{
    const OperatorOptions options;
    std::vector<ExperimentDevice> devices{device};
    // The paper compares its two phones, so the second one is simulated beside the first.
    const DeviceProfile second = find_profile("mali-g76");
    if (!device.real() && device.profile.name == "adreno-640") {
        devices.push_back({second});
    }
    std::vector<OperatorStudy> studies;
    for (const ExperimentDevice& one : devices) {
        OperatorOptions here = options;
        if (!studies.empty()) {
            here.networks.pop_back(); // the largest, for the time that it takes
        }
        studies.push_back(measure_operators(
            one, here, part_progress(progress, studies.size(), devices.size()), stop));
    }
    ExperimentResult::Conditions conditions{
        {"devices", device.real() ? device.text()
                                  : joined(devices, &ExperimentDevice::name) + ", simulated" +
                                        (devices.size() > 1 ? "; " + options.networks.back() +
                                                                  " on the first alone"
                                                            : "")},
        {"operators", "convolutions of " + joined(options.networks, std::identity{}) +
                          " in their networks, with what follows them, and the two fully connected "
                          "ones of BERT; half "
                          "floats, a batch of one. An operator that a network has several times "
                          "has its mean time"},
        {"TVM, buffers", "the paper's TVM has no textures: every tensor in a buffer, NCHW with "
                         "channels in fours, tile and "
                         "work-group tuned"},
        {"TVM, textures", "as TVM became: textures between convolutions and pools (policy tvm)"},
        {"TFLite", "its GPU delegate (policy mldrift)"},
        {"ours", "kernels and layouts searched together (policy ours), in place of Romou's search"},
        {"not in it", "Mace, and the Winograd algorithm that it takes for 3x3 convolutions: no "
                      "kernel of it is here. "
                      "What the frameworks' own kernel texts lose: all kernels come from one "
                      "generator. Layers other "
                      "than convolutions, as in the paper"},
        {"runs",
         fmt::format("the kernels of a network one after the other, {}; of each the model's choice "
                     "and up to {} more are timed before",
                     device.real()
                         ? fmt::format("measured, medians of {} runs whose outputs are not checked",
                                       options.tuning.runs)
                         : fmt::format("from samples of {} warp accesses", options.tuning.accesses),
                     options.tuning.candidates)},
    };
    add_left_out(conditions, studies.front().left_out);
    ExperimentResult result{
        std::move(conditions), table_of(studies),
        decided_on(device, operator_findings(studies, operator_counts(options))),
        operator_plot(studies)};
    result.further.push_back(
        {"networks", "sums over the convolutions of each network", network_table(studies)});
    return result;
}

} // namespace texelscope::experiments
