// Romou's figure 11: roofs by hand, a kernel against a simulation of its own, the findings against
// made-up data.

#include "codegen/nest/loop_nest.hpp"
#include "codegen/operators/operator.hpp"
#include "experiments/romou/romou_roofline.hpp"
#include "tests/experiments/finding_of.hpp"
#include "workbench/study/launch_result.hpp"

#include <catch2/catch.hpp>

using namespace texelscope;
using namespace texelscope::experiments;
using Catch::Matchers::Contains;
using test::finding_of;

namespace {

Roofline made_up()
{
    Roofline data;
    data.peak_gflops = 890;
    data.roofs = {{"L1", 190}, {"L2", 96}, {"memory", 28}};
    data.kernels = {{{4, 4}, "", 4, 50, 16, 200}, {{4, 6}, "", 4.8, 60, 12, 230}};
    return data;
}

Verdict verdict(const Roofline& data, const std::string& start)
{
    return finding_of(romou_roofline_findings(data), start).verdict;
}

} // namespace

TEST_CASE("Romou's figure 11: roofs are the profile's rates, kernels those of a simulation")
{
    const DeviceProfile device = find_profile("adreno-640");
    const RooflineOptions options{.shape = "1,8,8,16,16,1,1,1",
                                  .coarsenings = {{4, 4}, {4, 6}},
                                  .runs = 8,
                                  .most_accesses = 5'000};
    const Roofline data = measure_roofline({device}, options);
    CHECK(data.peak_gflops == Approx(2 * 384 * 2 * 0.585));
    REQUIRE(data.roofs.size() == 3);
    CHECK(data.roofs[0].gb_per_s == Approx(5.2 * 32 * 2 * 0.585));
    CHECK(data.roofs[1].gb_per_s == Approx(169 * 0.585));
    CHECK(data.roofs[2].gb_per_s == Approx(47.9 * 0.585));
    CHECK(data.bound(data.roofs[0], 1) == Approx(data.roofs[0].gb_per_s / 2));
    CHECK(data.bound(data.roofs[0], 1000) == data.peak_gflops);
    REQUIRE(data.kernels.size() == 2);
    // Of every four input channels, four texels of X and four of W make 64 multiply-adds; six of X
    // make 96.
    CHECK(data.kernels[0].intensity == Approx(2 * 64 / (4.0 * 8)));
    CHECK(data.kernels[1].intensity == Approx(2 * 96 / (4.0 * 10)));
    const Operator op = parse_operator("conv2d", options.shape);
    for (const Roofline::Kernel& kernel : data.kernels) {
        const LoopNest nest = loop_nest(op, parse_schedule(kernel.config));
        CHECK(nest.schedule_text.find(kernel.tile[1] == 4 ? "T=4x4;" : "T=4x6;") !=
              std::string::npos);
        CHECK(kernel.gflops ==
              Approx(2.0 * 8 * 8 * 16 * 16 / simulated_time(nest, device, 5'000).value));
    }
}

TEST_CASE("Romou's figure 11: the findings follow the data")
{
    for (const Finding& finding : romou_roofline_findings(made_up())) {
        CAPTURE(finding.claim);
        CHECK(finding.verdict == Verdict::holds);
    }
    Roofline data = made_up();
    data.roofs[0].gb_per_s = 500;
    CHECK(verdict(data, "at 4 operations") == Verdict::does_not_hold);
    CHECK(verdict(data, "with all data") == Verdict::does_not_hold);
    // the peak bounds both
    CHECK(verdict(data, "a coarsening of 4x6 raises") == Verdict::does_not_hold);
    data = made_up();
    data.kernels[0].intensity = 3;
    data.kernels[0].registers = 80;
    data.kernels[1].gflops = 190;
    CHECK(verdict(data, "a coarsening of 4x4 makes") == Verdict::does_not_hold);
    CHECK(verdict(data, "a coarsening of 4x4 takes") == Verdict::does_not_hold);
    CHECK(verdict(data, "and the kernel of 4x6") == Verdict::does_not_hold);
    data = made_up();
    data.kernels[1].gflops = 150;
    CHECK(verdict(data, "the fastest kernel") == Verdict::holds); // 200 of 380
    data.kernels[0].gflops = 180;
    CHECK(verdict(data, "the fastest kernel") == Verdict::does_not_hold);
    data.kernels[1].gflops = 500;
    CHECK(verdict(data, "no kernel is above") == Verdict::does_not_hold);
    CHECK_THAT(finding_of(romou_roofline_findings(data), "no kernel").ours,
               Contains("4x6 by 10 %"));
    data.kernels.pop_back();
    CHECK(verdict(data, "a coarsening of 4x4 makes") == Verdict::not_tested);
}
