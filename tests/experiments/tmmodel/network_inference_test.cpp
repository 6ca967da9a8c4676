// TMModel's table 7: findings from made-up times, and small networks planned, tuned, simulated and
// run.

#include "codegen/nest/loop_nest.hpp"
#include "devices/kernels/opencl_device.hpp"
#include "experiments/tmmodel/network_inference.hpp"
#include "tests/experiments/finding_of.hpp"
#include "tests/workbench/plots/nothing_clipped.hpp"
#include "workbench/network_studies/network_tuning.hpp"

#include <catch2/catch.hpp>

using namespace texelscope;
using namespace texelscope::experiments;
using test::finding_of;

namespace {

/// In ms.
struct Row {
    double mnn, dnnfusion, ours;
};

NetworkInference made_up(Row vit, Row resnet, bool measured = false)
{
    NetworkInference data{"adreno-740", measured ? "a device" : "", {}};
    const auto add = [&](const char* network, const char* planner, double ms) {
        data.times.push_back(
            {network, planner, 1, ms * 1e6, measured ? std::optional(ms * 1e6) : std::nullopt});
    };
    for (const auto& [network, row] :
         {std::pair{"vit-b-16", vit}, std::pair{"resnet-18", resnet}}) {
        add(network, "MNN", row.mnn);
        add(network, "DNNFusion", row.dnnfusion);
        add(network, "ours", row.ours);
    }
    return data;
}

constexpr std::array claims{
    "both networks take less time with our plans", "and less than with DNNFusion's",
    "with DNNFusion's policy both take less", "the gain over MNN's policy is larger"};

} // namespace

TEST_CASE("Network inference: findings follow the data")
{
    const NetworkInference paper = made_up({533, 277, 88}, {10.9, 10.1, 8.6}, true);
    const NetworkInference other = made_up({2, 3, 4}, {30, 31, 28}, true);
    for (const std::string where : {"simulated", "on a device"}) {
        for (const std::string claim : claims) {
            CHECK(finding_of(inference_findings(paper), where + ": " + claim).verdict ==
                  Verdict::holds);
            CHECK(finding_of(inference_findings(other), where + ": " + claim).verdict ==
                  Verdict::does_not_hold);
        }
    }
    for (const std::string claim :
         {"simulated: the four gains", "simulated: with our plans both"}) {
        CHECK(finding_of(inference_findings(paper), claim).verdict == Verdict::holds);
        CHECK(finding_of(inference_findings(other), claim).verdict == Verdict::does_not_hold);
        CHECK(finding_of(inference_findings({}), claim).verdict == Verdict::not_tested);
    }
    CHECK(finding_of(inference_findings({}), std::string("simulated: ") + claims[0]).verdict ==
          Verdict::not_tested);
    CHECK(inference_findings(made_up({3, 2, 1}, {3, 2, 1})).size() == 6); // nothing was measured
    CHECK(finding_of(inference_findings(paper), "simulated: the four gains").ours ==
          "ViT over MNN 6.06, ResNet-18 over MNN 1.27, ViT over DNNFusion 3.15, ResNet-18 over "
          "DNNFusion 1.17");
    test::check_nothing_clipped(inference_plot(paper));
}

TEST_CASE("Network inference: a tuned kernel is the fastest of its candidates, and a network its "
          "kernels' sum")
{
    const networks::Graph graph = planned_network("mlp-256-256");
    const DeviceProfile device = find_profile("adreno-740");
    const TunedNetworkOptions options{.candidates = 4, .accesses = 500};
    const NetworkPlanner planner = planner_of("ours", "ours");
    const TunedNetwork tuned = tuned_network(planner, graph, {device}, options);
    REQUIRE(tuned.kernel_ns.size() == tuned.planned.plan.kernels.size());
    double sum = 0;
    for (const SimulatedKernel& kernel :
         simulate_network(tuned.planned.plan, device, options.accesses)) {
        sum += kernel.time->value;
    }
    CHECK(tuned.total_ns() == Approx(sum));

    const PredictedPlan plan = planner.plan(graph, device, options.search(), {}, {});
    const KernelTimer timer = time_on(device, options.accesses);
    for (std::size_t k = 0; k < plan.plan.kernels.size(); ++k) {
        const networks::NodeKernel& kernel = plan.plan.kernels[k].kernel;
        std::vector<bool> made;
        for (const networks::ValueId input : kernel.inputs) {
            made.push_back(networks::is_made(plan.plan, input));
        }
        const double chosen = timer.time(tuned.planned.plan.kernels[k].nest, made).value();
        REQUIRE_FALSE(plan.candidates[k].empty());
        for (const PricedKernel& other : plan.candidates[k]) {
            CHECK(chosen <=
                  timer.time(kernel.op.nest(other.point.schedule, other.point.layouts), made)
                          .value() *
                      1.0001);
        }
    }
    CHECK_THROWS(planned_network("no-such-network"));
}

TEST_CASE("Network inference: each network is planned three ways, simulated and run")
{
    const OpenClDevice on("pocl");
    const InferenceOptions options{.networks = {"mlp-16-16"},
                                   .tuning = {.candidates = 0, .accesses = 200, .runs = 1}};
    const DeviceProfile device = find_profile("adreno-740");
    const NetworkInference data = measure_inference({device, &on}, options);
    REQUIRE(data.times.size() == 3);
    for (const InferenceTime& time : data.times) {
        CHECK(time.simulated_ns > 0);
        CHECK(time.measured_ns.value_or(0) > 0);
        CHECK(data.find("mlp-16-16", time.planner) == &time);
    }
    CHECK(data.find("mlp-16-16", "TVM") == nullptr);
}
