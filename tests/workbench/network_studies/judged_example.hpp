#pragma once

#include "networks/operators/node_operator.hpp"
#include "workbench/network_studies/judged_network.hpp"

#include <string>
#include <utility>
#include <vector>

namespace texelscope::test {

/// A convolution with an activation that two read: a softmax along another dimension, which asks
/// for a conversion, and a concatenation with the input, of two kernels. Names that HTML would take
/// for something else.
[[nodiscard]] inline networks::Graph example_graph()
{
    using namespace networks;
    Graph graph;
    graph.name = "an <example> & more";
    graph.inputs = {graph.add_value("x", {1, 8, 6, 6})};
    const ValueId weight = graph.add_constant("w", {8, 8, 1, 1}, std::vector<float>(64, 0.5F));
    const auto add = [&](const std::string& name, const char* op, std::vector<ValueId> inputs,
                         Attributes attributes) {
        Node node{name, op, std::move(inputs), {no_value}, std::move(attributes)};
        node.outputs = {graph.add_value(name + "_out", output_shapes(graph, node).front())};
        graph.nodes.push_back(node);
        return graph.nodes.back().outputs.front();
    };
    Attributes last;
    last.set("axis", std::int64_t{3});
    Attributes channels;
    channels.set("axis", std::int64_t{1});
    const ValueId relu = add("the_relu", "Relu", {add("the_conv", "Conv", {0, weight}, {})}, {});
    graph.outputs = {add("the_softmax", "Softmax", {relu}, last),
                     add("the_concat", "Concat", {0, relu}, channels)};
    check_graph(graph);
    return graph;
}

/// That network with made-up answers of all judges. Kernel 0 is not simulated; kernel 1 looks
/// nothing up; one tensor fails its check.
[[nodiscard]] inline workbench::network_studies::JudgedNetwork judged_example()
{
    using namespace workbench::network_studies;
    JudgedNetwork network;
    network.graph = example_graph();
    network.profile = "a phone";
    network.planned.plan = networks::starting_plan(network.graph);
    const std::size_t kernels = network.planned.plan.kernels.size();
    NetworkMeasurement measured;
    measured.device = "a \"device\"";
    measured.whole_ns = 98'765;
    measured.samples = {98'765, 98'765};
    for (std::size_t k = 0; k < kernels; ++k) {
        const auto n = static_cast<double>(k);
        const auto count = static_cast<std::int64_t>(k);
        network.planned.predicted.push_back(Nanoseconds{1000 * (n + 1) + 0.4});
        SimulatedKernel simulated;
        if (k == 0) {
            simulated.why_not = "no <room>";
        } else {
            simulated.time = Nanoseconds{3000 - 100 * n};
            simulated.simulated_share = 0.5;
            simulated.stalls = {{.issued = 10, .waiting_for_data = 30 + count},
                                {.issued = 10, .alu_busy = 60}};
        }
        if (k > 1) {
            simulated.l1 = {.lookups = 1000, .hits = 900 - count, .unclassified = 100 + count};
            simulated.l2 = {.lookups = 100 + count, .hits = 25, .unclassified = 75 + count};
        }
        network.simulated.push_back(simulated);
        measured.kernel_ns.push_back(20'000 + n);
    }
    measured.allowed_error = 1e-4;
    measured.checked[network.graph.outputs[0]] = {1.5e-7, true};
    measured.checked[network.graph.outputs[1]] = {0.25, false};
    network.measured = measured;
    return network;
}

} // namespace texelscope::test
