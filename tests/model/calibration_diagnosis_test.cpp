#include "base/error.hpp"
#include "model/tmmodel/calibrate.hpp"
#include "model/tmmodel/calibration_diagnosis.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>

using namespace texelscope::model;
using Catch::Matchers::Contains;

namespace {

/// Walks whose latency is 10 ns and 30 ns for each stride that leaves a block 4 texels wide, 20 ns
/// for 8 texels high.
std::vector<WalkSample> linear_walks()
{
    CalibrationOptions plan;
    plan.walks = 80;
    std::vector<WalkSample> walks;
    for (const std::vector<Texel>& texels : calibration_walks(plan)) {
        WalkSample walk{cross_block_histogram(texels), {}};
        double ns = 10.0 * static_cast<double>(texels.size());
        for (const CrossBlockHistogram::Bin& bin : walk.histogram.bins) {
            ns += bin.block == Extent2D{4, 4} ? 30.0 * static_cast<double>(bin.x) : 0;
            ns += bin.block == Extent2D{1, 8} ? 20.0 * static_cast<double>(bin.y) : 0;
        }

        walk.per_access = Nanoseconds{ns / static_cast<double>(texels.size())};
        walks.push_back(std::move(walk));
    }
    return walks;
}

Calibration fitted(std::vector<WalkSample> walks, std::vector<WarpSample> warps, std::int64_t lines)
{
    CalibrationSamples samples;
    samples.walks = walks;
    samples.warps = std::move(warps);
    samples.cache_lines = lines;
    return fit_calibration(std::move(samples), Regression::least_squares, 1);
}

constexpr std::int64_t lines = 16;

/// Warps as equation 2 has them.
std::vector<WarpSample> warps_of(double d)
{
    std::vector<WarpSample> warps;
    for (const StreamPattern& pattern : stream_patterns) {
        for (const int lanes : growing_widths(64)) {
            const WarpInput input{lanes, pattern.reuse_distance};
            const auto exponent = static_cast<double>(thrash_exponent({&input, 1}, lines));
            warps.push_back({pattern, lanes, Nanoseconds{100 * std::pow(d, exponent)}});
        }
    }
    return warps;
}

bool says(const std::vector<std::string>& said, const std::string& words)
{
    return std::any_of(said.begin(), said.end(),
                       [&](const std::string& line) { return line.find(words) != line.npos; });
}

} // namespace

TEST_CASE(
    "the weights of a linear device are found by the sides of blocks, and their shares add up")
{
    const std::vector<WalkSample> walks = linear_walks();
    const LinearModel model = fit_linear_model(walks, Regression::least_squares, 1);
    const WalkDiagnosis diagnosis = diagnose_walks(model, walks);
    double shares = diagnosis.access_share;
    for (const WalkDiagnosis::Side& side : diagnosis.sides) {
        CAPTURE(side.along_x, side.texels);
        const double truth =
            side.along_x ? (side.texels == 4 ? 30 : 0) : (side.texels == 8 ? 20 : 0);
        CHECK(side.ns == Approx(truth).margin(1e-6));
        shares += side.share;
    }
    CHECK(diagnosis.sides.size() == 12);
    CHECK(diagnosis.sides[2].texels == 4);
    CHECK(diagnosis.sides[2].along_x);
    CHECK(shares == Approx(1));
    double by_shape = diagnosis.access_share;
    for (const WalkDiagnosis::Shape& shape : diagnosis.shapes) {
        by_shape += shape.share;
    }
    CHECK(by_shape == Approx(1));
    CHECK(model.beta.back() == Approx(10));
    CHECK(diagnosis.quantiles.front() == Approx(0).margin(1e-9));
}

TEST_CASE("residuals are those of the prediction, the worst walks first")
{
    std::vector<WalkSample> walks = linear_walks();
    const LinearModel model = fit_linear_model(walks, Regression::least_squares, 1);
    // measured again: walk i takes 1 + i / 100 times as long
    for (std::size_t i = 0; i < walks.size(); ++i) {
        walks[i].per_access.value *= 1 + static_cast<double>(i) / 100;
    }
    const WalkDiagnosis diagnosis = diagnose_walks(model, walks, 3);
    REQUIRE(diagnosis.worst.size() == 3);
    CHECK(diagnosis.worst[0].number == 79);
    CHECK(diagnosis.worst[2].number == 77);
    CHECK(diagnosis.worst[0].predicted_ns * 1.79 == Approx(diagnosis.worst[0].measured_ns));
    // The residual of walk i is 1 / (1 + i / 100) - 1; the median lies between walks 39 and 40.
    CHECK(diagnosis.quantiles[2] == Approx((1 / 1.39 + 1 / 1.40) / 2 - 1));
    CHECK(std::is_sorted(diagnosis.quantiles.begin(), diagnosis.quantiles.end()));
}

TEST_CASE("what samples do not tell is said, and nothing where they do")
{
    const std::vector<double> quiet(80, 0.001);
    CHECK(doubts(fitted(linear_walks(), warps_of(1.1), lines), quiet).empty());
    CHECK(says(doubts(fitted(linear_walks(), warps_of(1.1), 100000), quiet),
               "nothing was seen of it"));
    CHECK(says(doubts(fitted(linear_walks(), warps_of(1.0), lines), quiet), "D is held at 1"));
    std::vector<WarpSample> other = warps_of(1.1);
    for (std::size_t i = 0; i < other.size(); ++i) { // slow where equation 2 says nothing
        other[i].per_step.value = other[i].lanes == 1 ? 100 : (i % 2 == 0 ? 110 : 300);
    }
    CHECK(says(doubts(fitted(linear_walks(), other, lines), quiet), "D hardly describes"));
    CHECK(says(doubts(fitted(linear_walks(), {}, lines), quiet), "no growing warps"));
    CHECK(says(doubts(fitted(linear_walks(), warps_of(1.1), lines), std::vector<double>(80, 0.9)),
               "noise hides"));
    std::vector<WalkSample> flat = linear_walks();
    for (std::size_t i = 0; i < flat.size(); ++i) {
        flat[i].per_access = Nanoseconds{100 + 0.01 * static_cast<double>(i)};
    }
    CHECK(says(doubts(fitted(flat, warps_of(1.1), lines), quiet), "strides hardly matter"));
    std::vector<WalkSample> shuffled = linear_walks();
    // latencies that know nothing of the strides
    for (std::size_t i = 0; i < shuffled.size(); ++i) {
        shuffled[i].per_access = Nanoseconds{i * 37 % 80 < 40 ? 50.0 : 150.0};
    }
    CHECK(says(doubts(fitted(shuffled, warps_of(1.1), lines), quiet), "less than half"));
}
