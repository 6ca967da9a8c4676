// The training study's figure 4: what is copied, by hand; a step's time from its kernels; findings
// from made-up times.

#include "experiments/training/training_copies.hpp"
#include "networks/models/models.hpp"
#include "tests/experiments/finding_of.hpp"
#include "tests/workbench/plots/nothing_clipped.hpp"
#include "workbench/network_studies/network_search.hpp"
#include "workbench/network_studies/network_simulation.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <numeric>

using namespace texelscope;
using namespace texelscope::experiments;
using test::finding_of;

namespace {

const std::vector<std::string> small{"mlp-16-16"};

/// Of the four networks: computing, half of it backward, and copies, a step's as long as the
/// products'; in us.
std::vector<CopiedStep> made_up(const std::string& device, bool cpu,
                                std::vector<std::pair<double, double>> us)
{
    const std::array names{"mlp-16-16", "mlp-16-16-16-16", "mlp-256-256", "mlp-784-256-128-16"};
    std::vector<CopiedStep> steps;
    for (std::size_t n = 0; n < us.size(); ++n) {
        const auto [computing, copies] = us[n];
        steps.push_back({names[n],
                         device,
                         true,
                         cpu,
                         10,
                         500 * computing,
                         500 * computing,
                         250,
                         {6, 1000, 1000 * copies},
                         {7, 2000, 1000 * copies}});
    }
    return steps;
}

std::vector<CopiedStep> joined(std::vector<CopiedStep> a, const std::vector<CopiedStep>& b)
{
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

networks::TrainingStep step_of(const std::string& name, std::int64_t batch)
{
    networks::TrainingOptions options;
    options.keep_gradients = true;
    return networks::training_step(networks::find_model(name)->make(batch, 1), options);
}

std::int64_t bytes(const std::vector<Transfer>& transfers, bool to_device)
{
    std::int64_t sum = 0;
    for (const Transfer& transfer : transfers) {
        sum += transfer.to_device == to_device ? transfer.bytes : 0;
    }
    return sum;
}

} // namespace

TEST_CASE("Copied steps: tensors of a step, and of its products")
{
    const networks::TrainingStep step = step_of("mlp-16-16", 32);
    const networks::Plan plan =
        best_plan(step.graph, find_profile("adreno-650"), {.parts = "T"}).plan;
    constexpr std::int64_t numbers = 32 * 16 * 4, weights = 16 * 16 * 4, bias = 16 * 4; // bytes
    const std::vector<Transfer> of_step = step_transfers(step, plan);
    CHECK(of_step.size() == 6);
    // the batch, its targets, the layer
    CHECK(bytes(of_step, true) == 2 * numbers + weights + bias);
    CHECK(bytes(of_step, false) == weights + bias);
    // y = x w + b, and dw = dy' x; nobody asks for dx.
    const std::vector<Transfer> of_products = product_transfers(plan);
    CHECK(of_products.size() == 7);
    CHECK(bytes(of_products, true) == numbers + weights + bias + 2 * numbers);
    CHECK(bytes(of_products, false) == numbers + weights);
}

TEST_CASE("Copied steps: passes are the sums of their simulated kernels")
{
    const DeviceProfile device = find_profile("adreno-650");
    const CopiedStepOptions options{
        .networks = small, .batch = 8, .candidates = 0, .accesses = 300};
    const CopiedStep found = simulated_steps(device, options).at(0);
    const networks::TrainingStep step = step_of("mlp-16-16", 8);
    const networks::Plan plan = best_plan(step.graph, device).plan;
    std::map<networks::Pass, double> sums;
    const auto kernels = simulate_network(plan, device, 300);
    for (std::size_t k = 0; k < kernels.size(); ++k) {
        sums[step.passes[plan.kernels[k].nodes[0]]] += kernels[k].time->value;
    }
    CHECK(found.device == "adreno-650");
    CHECK(!found.measured);
    CHECK(found.forward_ns == Approx(sums.at(networks::Pass::forward)));
    CHECK(found.backward_ns == Approx(sums.at(networks::Pass::backward)));
    CHECK(found.update_ns == Approx(sums.at(networks::Pass::update)));
    CHECK(!found.computing_share(found.step));
    CHECK(!found.step_ns());
}

TEST_CASE(
    "Copied steps: a step is run and its tensors are copied on a device, and come back from a CSV")
{
    const OpenClDevice on("pocl");
    const CopiedStepOptions options{
        .networks = small, .candidates = 0, .accesses = 200, .steps = 2, .copies = 3};
    std::vector<CopiedStep> steps = steps_on(on, find_profile("pocl-cpu"), options);
    REQUIRE(steps.size() == 1);
    CHECK(steps[0].cpu);
    CHECK(steps[0].forward_ns > 0);
    CHECK(steps[0].backward_ns > 0);
    CHECK(steps[0].step.ns.value_or(0) > 0);
    CHECK(steps[0].products.ns.value_or(0) > 0);
    CHECK(steps[0].step_ns() == steps[0].computing_ns());

    const std::vector<CopiedStep> simulated = simulated_steps(find_profile("adreno-650"), options);
    const std::string csv = to_csv(copied_steps_table(joined(simulated, steps)));
    const std::vector<CopiedStep> read = parse_copied_steps(csv, "a file");
    REQUIRE(read.size() == 1); // of devices alone
    CHECK(read[0].network == "mlp-16-16");
    CHECK(read[0].device == on.info().name);
    CHECK(read[0].cpu);
    CHECK(read[0].kernels == steps[0].kernels);
    CHECK(read[0].step.count == steps[0].step.count);
    CHECK(read[0].products.bytes == steps[0].products.bytes);
    const auto to_the_nanosecond = [](double ns) { return Approx(ns).margin(0.51); };
    CHECK(read[0].forward_ns == to_the_nanosecond(steps[0].forward_ns));
    CHECK(read[0].backward_ns == to_the_nanosecond(steps[0].backward_ns));
    CHECK(read[0].update_ns == to_the_nanosecond(steps[0].update_ns));
    CHECK(read[0].step.ns.value() == to_the_nanosecond(*steps[0].step.ns));
    CHECK(read[0].products.ns.value() == to_the_nanosecond(*steps[0].products.ns));
    CHECK_THROWS_WITH(parse_copied_steps("network,device\n", "a file"),
                      Catch::Matchers::Contains("a file, line 1"));
    for (const CopiedStep& kept : measured_steps()) {
        CHECK(kept.computing_ns() > 0);
    }
}

TEST_CASE("Copied steps: shares, and what a copy would have to take")
{
    const CopiedStep step = made_up("a GPU", false, {{9, 91}}).at(0);
    CHECK(step.computing_share(step.step).value() == Approx(0.09));
    CHECK(step.step_ns().value() == Approx(100'000));
    CHECK(6 * step.copy_ns_at(0.91) == Approx(91'000));
    CHECK(made_up("a CPU", true, {{9, 91}}).at(0).step_ns().value() == Approx(9'000));
}

TEST_CASE("Copied steps: findings follow the data")
{
    const auto cpu = made_up("a CPU", true, {{10, 1}, {30, 1}, {20, 1}, {60, 1}});
    const auto gpu = made_up("a GPU", false, {{9, 101}, {27, 303}, {10, 110}, {30, 330}});
    // its copies take next to nothing
    const auto fast = made_up("a GPU", false, {{3, 1}, {4, 1}, {50, 1}, {300, 1}});
    const std::array claims{"on a GPU: computing is less than half",
                            "on a GPU: copies take 10 to 15",
                            "on a GPU: where every product copies",
                            "on a GPU: three layers take",
                            "on a GPU: large layers take",
                            "on a GPU against a CPU: with copies every step",
                            "on a GPU against a CPU: the GPU's time over"};
    for (const char* claim : claims) {
        CAPTURE(claim);
        CHECK(finding_of(copied_steps_findings(joined(cpu, gpu)), claim).verdict == Verdict::holds);
        CHECK(finding_of(copied_steps_findings(joined(cpu, fast)), claim).verdict ==
              Verdict::does_not_hold);
        CHECK(finding_of(copied_steps_findings(cpu), claim).verdict == Verdict::not_tested);
    }
    CHECK(copied_steps_findings(gpu).size() == 5); // there is no CPU to compare with
    CHECK(finding_of(copied_steps_findings(gpu), "on a GPU: three layers").ours ==
          "mlp-16-16-16-16 over mlp-16-16 3.00 times, mlp-784-256-128-16 over mlp-256-256 3.00 "
          "times");
    CHECK(finding_of(copied_steps_findings(joined(cpu, gpu)), "on a GPU against a CPU: with copies")
              .ours == "mlp-16-16 11.00 times, mlp-16-16-16-16 11.00 times, mlp-256-256 6.00 "
                       "times, mlp-784-256-128-16 6.00 times");
    auto simulated = gpu;
    for (CopiedStep& step : simulated) {
        step.measured = false;
        step.step.ns = step.products.ns = std::nullopt;
    }
    CHECK(finding_of(copied_steps_findings(simulated), "simulated, computing alone: three layers")
              .verdict == Verdict::holds);
    test::check_nothing_clipped(copied_steps_plot(joined(simulated, joined(cpu, gpu))));
}
