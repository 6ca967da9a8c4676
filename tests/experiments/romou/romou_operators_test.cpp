// Romou's figures 13 to 16: operators against published counts and multiply-adds, means by hand,
// findings from made-up times.

#include "codegen/nest/loop_nest.hpp"
#include "experiments/romou/romou_operators.hpp"
#include "tests/experiments/finding_of.hpp"
#include "tests/workbench/plots/nothing_clipped.hpp"

#include <catch2/catch.hpp>

using namespace texelscope;
using namespace texelscope::experiments;
using test::finding_of;

namespace {

/// Every kind once in each of two networks, times of the planners over ours.
OperatorStudy made_up(const std::string& device, std::array<double, 5> tvm, double textures,
                      double tflite)
{
    OperatorStudy study{device, {}};
    for (const char* network : {"one", "other"}) {
        for (const ConvolutionKind kind : all_convolution_kinds) {
            const bool product = kind == ConvolutionKind::fully_connected;
            study.operators.push_back({product ? "BERT" : network,
                                       {kind, to_string(kind), 1},
                                       2,
                                       {{"TVM, buffers", 100 * tvm[static_cast<std::size_t>(kind)]},
                                        {"TVM, textures", 100 * textures},
                                        {"TFLite", 100 * tflite},
                                        {"ours", 100}}});
        }
    }
    return study;
}

const std::map<ConvolutionKind, std::int64_t> paper_counts{{ConvolutionKind::pointwise, 45},
                                                           {ConvolutionKind::three_by_three, 25},
                                                           {ConvolutionKind::depthwise, 9},
                                                           {ConvolutionKind::other, 15},
                                                           {ConvolutionKind::fully_connected, 2}};

} // namespace

TEST_CASE("Romou's operators: MobileNetV1 has its published multiply-adds, and the paper's "
          "depthwise convolutions")
{
    double products = 0;
    for (const networks::Graph graph = planned_network("mobilenet-v1");
         const networks::Node& node : graph.nodes) {
        if (const auto found = convolution_of(graph, node)) {
            products += found->flops / 2;
        }
    }
    CHECK(products == Approx(569e6).epsilon(0.005)); // Howard et al., table 4
    const auto counts = operator_counts({.networks = {"mobilenet-v1"}});
    CHECK(counts.at(ConvolutionKind::depthwise) == 9);
    CHECK(counts.at(ConvolutionKind::fully_connected) == 2); // BERT's alone
    CHECK(counts.at(ConvolutionKind::three_by_three) == 1);
    CHECK_FALSE(counts.contains(ConvolutionKind::other));
}

TEST_CASE("Romou's operators: an operator of two networks counts once, and a network is its "
          "operators as often as it "
          "has them")
{
    OperatorStudy study{"adreno-640", {}};
    const NetworkConvolution shared{ConvolutionKind::pointwise, "shared", 1};
    const NetworkConvolution own{ConvolutionKind::pointwise, "own", 1};
    study.operators = {{"one", shared, 3, {{"TFLite", 40}, {"ours", 10}}},
                       {"other", shared, 1, {{"TFLite", 9}, {"ours", 9}}},
                       {"one", own, 2, {{"TFLite", 30}, {"ours", 20}}}};
    const std::vector<double> speedups = study.speedups("TFLite", ConvolutionKind::pointwise);
    REQUIRE(speedups.size() == 2);
    CHECK(speedups[0] == Approx(1.5));
    CHECK(speedups[1] == Approx(2)); // geometric mean of 4 and 1
    CHECK(study.sum_ns("one", "TFLite") == Approx(3 * 40 + 2 * 30));
    CHECK(study.network_speedup("one", "TFLite") ==
          Approx((3 * 40 + 2 * 30) / (3 * 10 + 2 * 20.0)));
    CHECK(study.network_speedup("none", "TFLite") == 0);
    CHECK(study.speedups("TVM, buffers", ConvolutionKind::pointwise).empty());
    CHECK(study.networks() == std::vector<std::string>{"one", "other"});
}

TEST_CASE("Romou's operators: findings follow the data")
{
    const std::vector<OperatorStudy> good{made_up("adreno-640", {14.7, 8.6, 8.1, 7.0, 8.1}, 2, 2),
                                          made_up("mali-g76", {3.3, 2.7, 7.1, 2.4, 3.6}, 2, 2)};
    const std::vector<OperatorStudy> bad{made_up("adreno-640", {0.5, 0.6, 0.7, 0.8, 0.9}, 9, 3),
                                         made_up("mali-g76", {0.9, 0.9, 0.9, 0.9, 0.9}, 9, 3)};
    for (const char* claim :
         {"the networks have as many", "adreno-640: our kernels of every kind",
          "adreno-640: each of these averages", "adreno-640: the convolutions of each network",
          "mali-g76: our kernels of every kind", "mali-g76: each of these averages",
          "mali-g76: the convolutions of each network", "adreno-640: of all convolutions, 1x1",
          "adreno-640: textures alone", "adreno-640: over TFLite", "the networks gain more"}) {
        CAPTURE(claim);
        CHECK(finding_of(operator_findings(good, paper_counts), claim).verdict == Verdict::holds);
        CHECK(
            finding_of(operator_findings(bad, {{ConvolutionKind::pointwise, 4}}), claim).verdict ==
            Verdict::does_not_hold);
    }
    CHECK(finding_of(operator_findings({}, {}), "the networks have as many").verdict ==
          Verdict::not_tested);
    for (const Finding& finding : operator_findings({{"adreno-640", {}}}, {})) {
        CHECK(finding.verdict == Verdict::not_tested);
    }
    test::check_nothing_clipped(operator_plot(good));
}

TEST_CASE("Romou's operators: TVM without textures has buffers alone, and every planner times "
          "every operator")
{
    const DeviceProfile device = find_profile("adreno-640");
    const OperatorOptions options{.networks = {}, .tuning = {.candidates = 0, .accesses = 200}};
    const OperatorStudy study = measure_operators({device}, options);
    REQUIRE(study.operators.size() == 2);
    for (const OperatorTimes& one : study.operators) {
        CHECK(one.ns.size() == romou_planners().size());
        CHECK(one.convolution.flops == 2 * 768.0 * 3072);
    }
    const TunedNetwork tvm =
        tuned_network(romou_planners().front(), bert_operators(), {device}, options.tuning);
    for (const networks::PlannedKernel& planned : tvm.planned.plan.kernels) {
        CHECK(planned.nest.output.memory == Memory::buffer);
        for (const codegen::Operand& input : planned.nest.inputs) {
            CHECK(input.memory == Memory::buffer);
        }
    }
}
