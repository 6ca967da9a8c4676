// The study's figure 3: simulated kernels against simulations of their own, measured ones against
// their file, the findings against made-up rates.

#include "codegen/nest/loop_nest.hpp"
#include "devices/kernels/opencl_device.hpp"
#include "experiments/training/training_matmul.hpp"
#include "tests/experiments/finding_of.hpp"
#include "workbench/store/shipped_measurements.hpp"
#include "workbench/study/launch_result.hpp"

#include <catch2/catch.hpp>

#include <fstream>
#include <sstream>

using namespace texelscope;
using namespace texelscope::experiments;
using Catch::Matchers::Contains;
using test::finding_of;

namespace {

std::vector<SgemmRates> rates(const std::vector<double>& gflops)
{
    std::vector<SgemmRates> all{
        {{false, false}, {}}, {{true, false}, {}}, {{false, true}, {}}, {{true, true}, {}}};
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (gflops[i] > 0) {
            all[i].points = {{32, gflops[i] / 2, ""}, {512, gflops[i], ""}};
        }
    }
    return all;
}

Verdict verdict(const TrainingMatmul& data, const std::string& start)
{
    return finding_of(training_matmul_findings(data), start).verdict;
}

} // namespace

TEST_CASE("The study's figure 3: rates are those of simulations of the study's kernels")
{
    const DeviceProfile device = find_profile("adreno-640");
    const std::vector<SgemmRates> all =
        sgemm_rates({device}, {.sizes = {32, 64}, .most_accesses = 5'000});
    REQUIRE(all.size() == 4);
    for (const SgemmRates& one : all) {
        REQUIRE(one.points.size() == 2);
        const SgemmRates::Point& last = one.points.back();
        CHECK(last.size == 64);
        const Schedule schedule = parse_schedule(last.config);
        CHECK((schedule.tile[0] == 4) == one.kind.vectorised);
        CHECK((schedule.stage > 0) == one.kind.tiled);
        const LoopNest nest = loop_nest(parse_operator("matmul", "64,64,64"), schedule);
        CHECK(last.gflops ==
              Approx(2.0 * 64 * 64 * 64 / simulated_time(nest, device, 5'000).value));
    }
    CHECK(all[0].at_largest() == all[0].points[1].gflops);
    CHECK(SgemmRates{}.at_largest() == 0);
}

TEST_CASE("The study's figure 3: on a device, rates are of kernels whose output is right",
          "[opencl]")
{
    const OpenClDevice on("pocl");
    const DeviceProfile device = find_profile("adreno-640");
    const std::vector<SgemmRates> all = sgemm_rates({device, &on}, {.sizes = {32, 48}});
    REQUIRE(all.size() == 4);
    for (const SgemmRates& one : all) {
        REQUIRE(one.points.size() == 2);
        CHECK(one.points[0].size == 32);
        CHECK(one.at_largest() > 0);
        CHECK((parse_schedule(one.points[1].config).stage > 0) == one.kind.tiled);
    }
}

TEST_CASE("The study's figure 3: the measured rates are those of the committed file")
{
    std::ifstream file(TEXELSCOPE_MEASUREMENTS "/h200-local-blocks.jsonl");
    std::ostringstream text;
    text << file.rdbuf();
    CHECK(text.str() == std::string(h200_local_blocks()));
    const std::vector<SgemmRates> all = measured_sgemm();
    REQUIRE(all.size() == 4);
    for (const SgemmRates& one : all) {
        REQUIRE(one.points.size() == 2); // with tiles of 4x8 it is not the study's
        CHECK(one.points[0].size == 1024);
        CHECK(one.points[1].size == 4096);
        CHECK_THAT(text.str(),
                   Contains(one.points[0].config.substr(one.points[0].config.find("T="))));
    }
    CHECK(all[0].points[0].gflops == Approx(2.0 * 1024 * 1024 * 1024 / 803072));
    CHECK(all[3].points[1].gflops == Approx(2.0 * 4096 * 4096 * 4096 / 11339424));
}

TEST_CASE("The study's figure 3: the findings follow the data")
{
    const TrainingMatmul good{"adreno-650", rates({15, 30, 40, 70}), rates({10, 20, 30, 40})};
    for (const Finding& finding : training_matmul_findings(good)) {
        CAPTURE(finding.claim);
        CHECK(finding.verdict == Verdict::holds);
    }
    const TrainingMatmul bad{"adreno-650", rates({40, 30, 60, 80}), rates({10, 20, 30, 25})};
    CHECK(verdict(bad, "simulated: both") == Verdict::does_not_hold);
    CHECK(verdict(bad, "simulated: vectors") == Verdict::does_not_hold);
    CHECK(verdict(bad, "on NVIDIA H200: both") == Verdict::does_not_hold);
    CHECK(verdict(bad, "on NVIDIA H200: vectors") == Verdict::does_not_hold);
    CHECK(verdict(bad, "the naive and the fastest") == Verdict::does_not_hold);
    const TrainingMatmul other{"adreno-740", rates({15, 30, 0, 70}), rates({10, 20, 30, 40})};
    CHECK(verdict(other, "the naive and the fastest") == Verdict::not_tested);
    CHECK(verdict(other, "simulated: both") == Verdict::not_tested);
    CHECK(verdict(other, "on NVIDIA H200: both") == Verdict::holds);
}
