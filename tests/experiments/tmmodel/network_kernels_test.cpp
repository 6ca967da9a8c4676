// TMModel's table 6: the networks' kernels against their published multiply-adds, findings from
// made-up times.

#include "experiments/tmmodel/network_kernels.hpp"
#include "tests/experiments/finding_of.hpp"
#include "tests/workbench/plots/nothing_clipped.hpp"

#include <catch2/catch.hpp>

#include <set>

using namespace texelscope;
using namespace texelscope::experiments;
using test::finding_of;

namespace {

NetworkResult made_up(const std::string& network, double ours, double mnn, double literal,
                      int count = 1)
{
    const auto taking = [](double ns) { return TimedChoice{{}, Nanoseconds{ns}}; };
    const Operator op = parse_operator("matmul", "8,8,8");
    NetworkResult result{{network, op, count},
                         {op, taking(ours), taking(literal), taking(ours), {}}};
    result.choices.frameworks[static_cast<std::size_t>(Framework::mnn)] = taking(mnn);
    return result;
}

} // namespace

TEST_CASE("Network kernels: they have the multiply-adds of the networks")
{
    double mobilenet = 0;
    double vit = 0;
    std::set<std::string> names;
    for (const NetworkKernel& kernel : network_kernels()) {
        CHECK(names.insert(kernel.network + to_string(kernel.op)).second);
        (kernel.network == "MobileNetV2" ? mobilenet : vit) += kernel.op.flops / 2 * kernel.count;
    }
    // 300 million, table 4 of its paper, of which the first convolution and the last layer are not
    // here.
    CHECK(mobilenet == Approx(300e6 - 112.0 * 112 * 32 * 27 - 1280.0 * 1000).epsilon(0.01));
    // 12 layers of four products by 768, two of attention and two by 3072.
    const double layer = 197.0 * 768 * (4 * 768 + 2 * 197 + 2 * 3072);
    CHECK(vit == Approx(12 * layer));
}

TEST_CASE(
    "Network kernels: a network's time is the sum of its kernels', as often as they are there")
{
    const NetworkStudy study{
        "mali-g77", {made_up("MobileNetV2", 10, 40, 20, 2), made_up("MobileNetV2", 30, 20, 30)}};
    CHECK(study.speedup("MobileNetV2").value() == Approx((2 * 40 + 20) / (2 * 10 + 30.0)));
    CHECK(study.speedup("MobileNetV2", &ComparedChoices::literal).value() ==
          Approx((2 * 40 + 20) / (2 * 20 + 30.0)));
    CHECK_FALSE(study.speedup("ViT-B/16"));
}

TEST_CASE("Network kernels: findings follow the data")
{
    const NetworkStudy good{"mali-g77",
                            {made_up("MobileNetV2", 1, 9, 2), made_up("ViT-B/16", 1, 3, 2)}};
    NetworkStudy other = good;
    other.device = "adreno-740";
    const NetworkStudy bad{"mali-g77",
                           {made_up("MobileNetV2", 4, 3, 5), made_up("ViT-B/16", 10, 9, 8)}};
    for (const char* claim :
         {"the kernels of MobileNetV2", "the kernels of ViT", "the gain is larger",
          "the choices of the model as printed", "the gains carry over"}) {
        CHECK(finding_of(network_findings({good, other}), claim).verdict == Verdict::holds);
        CHECK(finding_of(network_findings({bad, other}), claim).verdict == Verdict::does_not_hold);
        CHECK(finding_of(network_findings({}), claim).verdict == Verdict::not_tested);
    }
    test::check_nothing_clipped(network_plot({good, other}));
    CHECK(finding_of(network_findings({good}), "the gains carry over").verdict ==
          Verdict::not_tested);
}

TEST_CASE("Network kernels: a small kernel is measured against MNN alone")
{
    const std::vector<NetworkKernel> kernels{{"ViT-B/16", parse_operator("matmul", "16,16,16"), 3}};
    const CompareOptions options{.sample = 300, .tries = 4};
    const NetworkStudy study =
        measure_network_kernels(kernels, {find_profile("mali-g77")}, options);
    REQUIRE(study.kernels.size() == 1);
    CHECK(study.kernels.front().speedup() > 0);
    CHECK_FALSE(study.kernels.front().choices.speedup(Framework::tvm));
}
