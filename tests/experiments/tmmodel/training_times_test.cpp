// TMModel's tables 4 and 6: findings from made-up times, and a small network's step planned five
// ways, simulated and run.

#include "devices/kernels/opencl_device.hpp"
#include "experiments/tmmodel/training_times.hpp"
#include "tests/experiments/finding_of.hpp"
#include "tests/workbench/plots/nothing_clipped.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>

using namespace texelscope;
using namespace texelscope::experiments;
using test::finding_of;

namespace {

/// ms of MNN, TFLite, TVM, DNNFusion and ours.
using TrainingRow = std::array<double, 5>;

/// Two thirds of it in the backward pass.
TrainingTimes made_up_training(const std::vector<PublishedTraining>& published,
                               const std::vector<TrainingRow>& rows)
{
    TrainingTimes data{"adreno-740", "a device", published, {}};
    const std::array planners{"MNN", "TFLite", "TVM", "DNNFusion", "ours"};
    for (std::size_t n = 0; n < rows.size(); ++n) {
        for (std::size_t p = 0; p < planners.size(); ++p) {
            const double ns = rows[n][p] * 1e6;
            data.times.push_back(
                {published[n].network, planners[p], 10, ns / 3, ns / 3, ns / 3, ns, {}});
        }
    }
    return data;
}

const std::vector<TrainingRow> as_in_the_paper{{1916, 50, 50, 41, 29},
                                               {88, 70, 70, 66, 48},
                                               {921, 60, 60, 57, 32},
                                               {2105, 1500, 1500, 1224, 575}};
/// Ours is the slowest but for one network, MNN's the fastest but for that.
const std::vector<TrainingRow> otherwise{
    {10, 20, 20, 20, 100}, {10, 20, 20, 20, 5}, {10, 20, 20, 20, 100}, {10, 20, 20, 20, 100}};

constexpr std::array of_any_judge{
    "every network trains faster with our plans",
    "and faster than with DNNFusion's",
    "and faster than with TFLite's",
    "and faster than with TVM's",
    "with DNNFusion's policy every network trains faster",
    "the geometric mean of the gains",
    "the gain over MNN's policy is larger for MobileNetV2 than for ResNet-18"};

} // namespace

TEST_CASE("Training times: findings follow the data")
{
    const TrainingTimes paper = made_up_training(published_table4(), as_in_the_paper);
    const TrainingTimes other = made_up_training(published_table4(), otherwise);
    const TrainingTimes nothing = made_up_training(published_table4(), {});
    for (const std::string where : {"simulated", "on a device"}) {
        for (const std::string claim : of_any_judge) {
            CAPTURE(where, claim);
            CHECK(finding_of(training_findings(paper), where + ": " + claim).verdict ==
                  Verdict::holds);
            CHECK(finding_of(training_findings(other), where + ": " + claim).verdict ==
                  Verdict::does_not_hold);
            CHECK(finding_of(training_findings(nothing), where + ": " + claim).verdict ==
                  Verdict::not_tested);
        }
    }
    for (const std::string claim :
         {"simulated: the gains over MNN and", "simulated: with our plans a batch"}) {
        CHECK(finding_of(training_findings(paper), claim).verdict == Verdict::holds);
        CHECK(finding_of(training_findings(other), claim).verdict == Verdict::does_not_hold);
        CHECK(finding_of(training_findings(nothing), claim).verdict == Verdict::not_tested);
    }
    CHECK(finding_of(training_findings(paper), "simulated: every network").ours ==
          "MobileNetV2 66.07 times, ResNet-18 1.83 times, Fsrcnn 28.78 times, ViT 3.66 times");
    // (66.069 * 1.8333 * 28.781 * 3.6609)^(1/4)
    CHECK(finding_of(training_findings(paper), "simulated: the geometric mean").ours ==
          "10.63 times over 4 networks");
    test::check_nothing_clipped(training_plot(paper));
}

TEST_CASE("Training times: a plan that is refused is left out of the comparisons, and says why")
{
    TrainingTimes data = made_up_training(published_table4(), as_in_the_paper);
    TrainingTime& refused = data.times[0];
    refused = {.network = refused.network, .planner = refused.planner};
    refused.why_not = "too large";
    const std::vector<Finding> findings = training_findings(data);
    CHECK(finding_of(findings, "simulated: every network").ours ==
          "ResNet-18 1.83 times, Fsrcnn 28.78 times, ViT 3.66 times");
    CHECK(finding_of(findings, "simulated: the gain over MNN's policy is larger").verdict ==
          Verdict::not_tested);
    const ResultTable table = training_table(data);
    const auto cells = test::csv_cells(to_csv(table));
    REQUIRE(cells.size() == 1 + 20);
    CHECK(cells[1] == std::vector<std::string>{"mobilenet-v2", "MNN", "0", "-", "-", "-", "-", "-",
                                               "1916", "66.07", "-", "too large"});
    CHECK(cells[9] == std::vector<std::string>{"resnet-18", "DNNFusion", "10", "22", "22", "22",
                                               "66", "1.38", "66", "1.38", "66", "-"});
    test::check_nothing_clipped(training_plot(data));
}

TEST_CASE("Training times: on the other architecture the paper has ratios over MNN alone")
{
    const TrainingTimes data =
        made_up_training(published_table6(), {{688, 60, 60, 20, 10}, {309, 200, 200, 200, 100}});
    const std::vector<Finding> findings = training_findings(data);
    for (const Finding& finding : findings) {
        CAPTURE(finding.claim);
        CHECK(finding.verdict == Verdict::holds);
        CHECK(finding.claim.find("DNNFusion's") == std::string::npos);
    }
    CHECK(finding_of(findings, "simulated: the gains over MNN").ours ==
          "MobileNetV2 over MNN 68.80, ViT over MNN 3.09");
    CHECK(test::csv_cells(to_csv(training_table(data)))[1][8] == "-"); // the paper's ms
}

TEST_CASE("Training times: a batch is the sum of its kernels, those of the weights' step by their "
          "share of the batches")
{
    const DeviceProfile device = find_profile("adreno-740");
    const std::vector<PublishedTraining> one{
        {.network = "mlp-16-16", .called = "MLP", .over_mnn = 2}};
    const TrainingTimesOptions options{
        .planners = {planner_of("DNNFusion", "smartmem"), planner_of("ours", "ours")},
        .samples = 8,
        .tuning = {.candidates = 0, .accesses = 200}};
    const TrainingTimes data = measure_training({device}, one, options);
    REQUIRE(data.times.size() == 2);
    const networks::TrainingStep step = planned_training("mlp-16-16", 8);
    for (const NetworkPlanner& planner : options.planners) {
        const TunedNetwork tuned = tuned_network(planner, step.graph, {device}, options.tuning);
        std::map<networks::Pass, double> sums;
        for (std::size_t k = 0; k < tuned.kernel_ns.size(); ++k) {
            const networks::PlannedKernel& kernel = tuned.planned.plan.kernels[k];
            const networks::Pass pass = step.passes[kernel.nodes[0]];
            CHECK(kernel.every == (pass == networks::Pass::update ? 8 : 1));
            sums[pass] += tuned.kernel_ns[k] / kernel.every;
        }
        const TrainingTime* const time = data.find("mlp-16-16", planner.name);
        REQUIRE(time != nullptr);
        CHECK(time->kernels == std::ssize(tuned.kernel_ns));
        CHECK(time->forward_ns == Approx(sums.at(networks::Pass::forward)));
        CHECK(time->backward_ns == Approx(sums.at(networks::Pass::backward)));
        CHECK(time->update_ns == Approx(sums.at(networks::Pass::update)));
        CHECK(time->simulated_ns() == Approx(tuned.total_ns()));
        CHECK(!time->measured_ns);
    }
    CHECK(data.find("mlp-16-16", "nobody") == nullptr);
}

TEST_CASE("Training times: what a framework cannot lay out on a device has no time there")
{
    DeviceProfile device = find_profile("adreno-740");
    device.limits.image_height = 8; // MNN has a matrix of 16 rows in as many
    const std::vector<PublishedTraining> one{
        {.network = "mlp-16-16", .called = "MLP", .over_mnn = 2}};
    const TrainingTimes data =
        measure_training({device}, one,
                         {.planners = {planner_of("MNN", "mnn"), planner_of("TVM", "tvm")},
                          .samples = 2,
                          .tuning = {.candidates = 0, .accesses = 200}});
    CHECK_THAT(data.find("mlp-16-16", "MNN")->why_not,
               Catch::Matchers::Contains("takes an image of"));
    CHECK(data.find("mlp-16-16", "TVM")->why_not.empty());
    CHECK(data.find("mlp-16-16", "TVM")->simulated_ns() > 0);
}

TEST_CASE("Training times: a step is run")
{
    const OpenClDevice on("pocl");
    const std::vector<PublishedTraining> one{
        {.network = "mlp-16-16", .called = "MLP", .over_mnn = 2}};
    const TrainingTimesOptions options{.planners = {planner_of("ours", "ours")},
                                       .samples = 3,
                                       .tuning = {.candidates = 0, .accesses = 200, .runs = 1}};
    const DeviceProfile device = find_profile("adreno-740");
    const TrainingTimes data = measure_training({device, &on}, one, options);
    CHECK(data.measured_on == on.info().name);
    REQUIRE(data.times.size() == 1);
    CHECK(data.times[0].measured_ns.value_or(0) > 0);
}
