// TMModel's figure 2: shares of strides by hand, a regression whose answer is known, findings from
// made-up data.

#include "base/error.hpp"
#include "experiments/tmmodel/stride_regression.hpp"
#include "model/tmmodel/calibration_plan.hpp"
#include "tests/experiments/finding_of.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <numeric>

using namespace texelscope;
using namespace texelscope::experiments;
using test::finding_of;

namespace {

/// Walks whose access costs 80 ns, and 30 and 70 more for each stride that leaves a 2x2 block along
/// x and a 4x4 one along y.
std::vector<WalkSample> linear_walks()
{
    std::vector<WalkSample> walks;
    for (std::int64_t i = 0; i < 40; ++i) {
        CrossBlockHistogram histogram;
        histogram.accesses = 100;
        const std::int64_t a = i * 7 % 31;
        const std::int64_t b = i * 11 % 29;
        histogram.bins = {
            {{1, 1}, i * 5 % 23, i * 3 % 19}, {{2, 2}, a, i * 13 % 17}, {{4, 4}, i * 2 % 37, b}};
        const double ns =
            80 + (30.0 * static_cast<double>(a) + 70.0 * static_cast<double>(b)) / 100;
        walks.push_back({histogram, Nanoseconds{ns}});
    }
    return walks;
}

StrideRegression made_up(double mape_two, double mape_full, double tau, std::int64_t crossing)
{
    StrideRegression data;
    data.example.accesses = 1001;
    data.example.bins = {{{2, 2}, 900, 900}, {{4, 4}, crossing, 600}};
    data.two.held_out.mape = mape_two;
    data.full.held_out.mape = mape_full;
    data.tau = tau;
    return data;
}

} // namespace

TEST_CASE(
    "Stride regression: the example's strides leave its blocks as often as counting places says")
{
    const StrideExample example;
    // Of two places a stride of 1 leaves one; of four, strides of 1 to 4 leave 1 to 4.
    CHECK(crossing_share(example, 2) == Approx(0.2 / 2 + 0.3 + 0.4 + 0.1));
    CHECK(crossing_share(example, 4) == Approx((0.2 * 1 + 0.3 * 2 + 0.4 * 3 + 0.1 * 4) / 4));
    CHECK(crossing_share(example, 1) == Approx(1));

    const StrideDistribution pairs = stride_pairs(example);
    CHECK(pairs.strides.size() == 16);
    CHECK(std::accumulate(pairs.probabilities.begin(), pairs.probabilities.end(), 0.0) ==
          Approx(1));
    std::mt19937_64 random(3);
    const auto texels = walk(random, pairs, example.image, 20'000);
    std::array<int, 5> along_x{};
    for (std::size_t i = 1; i < texels.size(); ++i) {
        ++along_x[static_cast<std::size_t>((texels[i].x - texels[i - 1].x + 1024) % 1024)];
    }
    for (std::size_t s = 1; s < along_x.size(); ++s) {
        CHECK(along_x[s] / 20'000.0 == Approx(example.probabilities[s - 1]).margin(0.015));
    }
}

TEST_CASE("Stride regression: a fit with the blocks that decide predicts exactly, others do not")
{
    const std::vector<WalkSample> walks = linear_walks();
    const std::array<Extent2D, 2> deciding{{{2, 2}, {4, 4}}};
    const StrideFit fit = fit_strides(walks, deciding, 1);
    REQUIRE(fit.walks.size() == walks.size() / 4);
    for (const StrideFit::Walk& one : fit.walks) {
        CHECK(one.predicted == Approx(one.measured));
    }
    CHECK(fit.held_out.mape < 1e-9);
    const std::array<Extent2D, 1> other{{{1, 1}}};
    CHECK(fit_strides(walks, other, 1).held_out.mape > 0.01);
    const std::array<Extent2D, 1> unknown{{{3, 3}}};
    CHECK_THROWS_AS(fit_strides(walks, unknown, 1), Error);
}

TEST_CASE("Stride regression: findings follow the data")
{
    const StrideExample example;
    const auto verdict = [&](const StrideRegression& data, const std::string& claim) {
        return finding_of(stride_regression_findings(data, example), claim).verdict;
    };
    const std::array claims{"the example's histogram", "an access that leaves",
                            "the regression predicts", "two assumed shapes"};
    for (const char* claim : claims) {
        CHECK(verdict(made_up(0.2, 0.05, 0.7, 610), claim) == Verdict::holds);
        CHECK(verdict(made_up(0.2, 0.3, 0.3, 700), claim) == Verdict::does_not_hold);
    }
}

TEST_CASE("Stride regression: of the calibration's walks, on a device of 4x4 blocks alone, both "
          "fits are exact")
{
    CalibrationOptions options;
    options.walks = 60;
    options.steps = 256;
    const StrideExample example;
    const auto walks = calibration_walks(options);
    const StrideRegression data = [&] {
        Calibration calibration;
        std::mt19937_64 random(1);
        // each stride between 4x4 blocks costs, nothing else does
        for (const auto& texels : walks) {
            const CrossBlockHistogram histogram = cross_block_histogram(texels);
            const auto& four = histogram.bins[2];
            REQUIRE(four.block == Extent2D{4, 4});
            const double crossed =
                static_cast<double>(four.x + four.y) / static_cast<double>(histogram.accesses);
            calibration.walks.push_back({histogram, Nanoseconds{100 + 50 * crossed}});
        }
        return measure_stride_regression(calibration.walks, example, 1);
    }();
    CHECK(data.example.bins.size() == 2);
    CHECK(data.full.blocks == default_block_shapes());
    CHECK(data.full.held_out.mape < 1e-6);
    CHECK(data.two.held_out.mape < 1e-6);
    CHECK(data.tau == Approx(1));
}
