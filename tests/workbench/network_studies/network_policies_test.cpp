#include "codegen/nest/loop_nest.hpp"
#include "tests/workbench/network_studies/built_in_network.hpp"
#include "workbench/network_studies/network_measurement.hpp"
#include "workbench/network_studies/network_search.hpp"
#include "workbench/network_studies/policies/layout_policy.hpp"
#include "workbench/network_studies/policies/policy_plan.hpp"

#include <catch2/catch.hpp>

#include <map>

using namespace texelscope;
using namespace texelscope::workbench::network_studies;

namespace {

/// Conv 3x3 of 8 channels, Conv 1x1 of 24 to 20; maps have 6 rows.
networks::Graph two_convolutions(std::int64_t width)
{
    networks::Graph graph;
    graph.name = "two";
    const auto weights = [&](const char* name, networks::Shape shape) {
        const auto count = static_cast<std::size_t>(networks::element_count(shape));
        return graph.add_constant(name, std::move(shape), std::vector<float>(count, 0.5F));
    };
    const auto x = graph.add_value("x", {1, 8, 6, width});
    const auto first = weights("w1", {24, 8, 3, 3});
    const auto y = graph.add_value("y", {1, 24, 6, width});
    const auto second = weights("w2", {20, 24, 1, 1});
    const auto z = graph.add_value("z", {1, 20, 6, width});
    graph.inputs = {x};
    graph.outputs = {z};
    graph.nodes.push_back({"first", "Conv", {x, first}, {y}, {}});
    graph.nodes.back().attributes.set("pads", std::vector<std::int64_t>{1, 1, 1, 1});
    graph.nodes.push_back({"second", "Conv", {y, second}, {z}, {}});
    return graph;
}

} // namespace

TEST_CASE("Where a map between two convolutions lies by each policy")
{
    // 24 channels are 6 texels; 6 rows of 10; the 1x1 convolution asks for nothing beside it.
    struct Expected {
        Memory memory;
        Extent2D extent;
    };
    const std::map<std::string, Expected> on_adreno{
        {"mnn", {Memory::image, {6 * 10, 6}}},
        {"mldrift", {Memory::image, {10, 6 * 6}}},
        {"tvm", {Memory::image, {10, 6 * 6}}},
        {"executorch", {Memory::image, {10, 6 * 6}}},
        // rows below each other would need a multiple of 64
        {"tinygrad", {Memory::image, {360, 1}}},
        {"smartmem", {Memory::image, {6 * 10, 6}}}}; // along rows the channels, which are summed
    const networks::Plan plan = networks::starting_plan(two_convolutions(10));
    for (const LayoutPolicy& policy : layout_policies()) {
        CAPTURE(policy.key);
        const networks::Plan laid = laid_out(policy, plan, find_profile("adreno-740"));
        const Operand& between = laid.kernels[1].nest.inputs[0];
        CHECK(between.memory == on_adreno.at(policy.key).memory);
        CHECK(between.image.extent == on_adreno.at(policy.key).extent);
        CHECK(laid.kernels[0].nest.output.image.extent == between.image.extent);
    }
    const networks::Plan elsewhere =
        laid_out(find_policy("mldrift"), plan, find_profile("nvidia-h100"));
    CHECK(elsewhere.kernels[1].nest.inputs[0].memory == Memory::buffer);
}

TEST_CASE(
    "MNN has a map of one channel as wide as it is, though texels hold neighbours of its rows")
{
    networks::Graph graph;
    const auto a = graph.add_value("a", {1, 1, 300, 300});
    const auto b = graph.add_value("b", {1, 1, 300, 300});
    const auto c = graph.add_value("c", {1, 1, 300, 300});
    graph.inputs = {a, b};
    graph.outputs = {c};
    graph.nodes.push_back({"sum", "Add", {a, b}, {c}, {}});
    const networks::Plan laid =
        laid_out(find_policy("mnn"), networks::starting_plan(graph), find_profile("adreno-740"));
    CHECK(laid.kernels[0].nest.output.layout->packed == 3);
    CHECK(laid.kernels[0].nest.output.image.extent == Extent2D{300 / 4, 300});
}

TEST_CASE("SmartMem has a matrix whose rows are summed lie along these rows")
{
    networks::Graph graph;
    const auto x = graph.add_value("x", {40, 64});
    const auto sums = graph.add_value("sums", {64});
    const auto axes = std::vector<std::int64_t>{0};
    graph.inputs = {x};
    graph.outputs = {sums};
    graph.nodes.push_back({"sum", "ReduceSum", {x}, {sums}, {}});
    graph.nodes.back().attributes.set("axes", axes);
    graph.nodes.back().attributes.set("keepdims", std::int64_t{0});
    const networks::Plan laid = laid_out(find_policy("smartmem"), networks::starting_plan(graph),
                                         find_profile("adreno-740"));
    const Extent2D extent = laid.kernels[0].nest.inputs[0].image.extent;
    CHECK(extent == Extent2D{40, 64 / 4});
}

TEST_CASE("An image beyond the device's limit is said, or is a buffer, as the framework has it")
{
    DeviceProfile small = find_profile("adreno-740");
    small.limits.image_width = 200;
    const networks::Graph graph = two_convolutions(40);
    CHECK_THROWS_WITH(plan_by_policy(find_policy("mnn"), graph, small),
                      Catch::Matchers::Contains("takes an image of") &&
                          Catch::Matchers::Contains("MNN"));
    const networks::Plan tvm = plan_by_policy(find_policy("tvm"), graph, small).plan;
    CHECK(tvm.kernels[1].nest.inputs[0].memory == Memory::image);
    small.limits.image_height = 35;
    const networks::Plan buffers = plan_by_policy(find_policy("tvm"), graph, small).plan;
    CHECK(buffers.kernels[1].nest.inputs[0].memory == Memory::buffer);
    CHECK_THROWS_WITH(find_policy("nobody"), Catch::Matchers::Contains("mldrift"));
}

TEST_CASE("The model says of no other policy's plan that it is faster than ours")
{
    for (const auto& [name, device] :
         {std::pair("fsrcnn", "adreno-740"), std::pair("mlp-256-256", "mali-g77")}) {
        const double ours =
            best_plan(test::built_in_network(name), find_profile(device)).total().value;
        for (const LayoutPolicy& policy : layout_policies()) {
            NetworkSearchOptions options;
            options.policy = policy.key;
            CAPTURE(name, device, policy.key);
            CHECK(ours <= best_plan(test::built_in_network(name), find_profile(device), options)
                              .total()
                              .value);
        }
    }
}

TEST_CASE("Networks are computed right whoever plans them", "[opencl][long]")
{
    const devices::OpenClDevice pocl("pocl");
    for (const char* name : {"mlp-784-256-128-16", "fsrcnn", "squeezenet-1.0", "mobilenet-v2"}) {
        const networks::Graph graph = test::built_in_network(name);
        for (const std::string& policy : policy_keys()) {
            NetworkSearchOptions options;
            options.policy = policy;
            const PredictedPlan planned = best_plan(graph, find_profile("adreno-740"), options);
            networks::NetworkRunOptions run;
            run.samples = 1;
            CAPTURE(name, policy);
            CHECK(measure_network(graph, planned.plan, drawn_inputs(graph, 5), pocl, run, true)
                      .failed() == 0);
        }
    }
}
