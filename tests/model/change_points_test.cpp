#include "base/error.hpp"
#include "model/curves/change_points.hpp"
#include "noisy_curves.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>
#include <utility>

using namespace texelscope::model;

namespace {

bool shows_change(const ChangePoints& found)
{
    return found.segments.size() > 1 || found.segments.front().shape == SegmentShape::ramp;
}

/// A family of curves with known changes.
struct Family {
    const char* name;
    double deviation;
    std::vector<Corner> (*corners)(std::mt19937_64&, double points);
};

double between(std::mt19937_64& random, double low, double high)
{
    return low + (high - low) * uniform_real(random);
}

std::vector<Corner> step(std::mt19937_64& random, double points, double height)
{
    const double at = between(random, 6, points - 6);
    return {{0, 100}, {at, 100}, {at, 100 * height}, {points, 100 * height}};
}

std::vector<Corner> ramp(std::mt19937_64& random, double points, double height)
{
    const double start = between(random, 6, points / 2);
    const double end = start + between(random, 3, points / 3);
    return {{0, 100}, {start, 100}, {end, 100 * height}, {points, 100 * height}};
}

const std::vector<Family> families{
    {"a jump to twice the level, noise of 10 %", 0.10,
     [](auto& r, double n) { return step(r, n, 2); }},
    {"a jump to half the level, noise of 10 %", 0.10,
     [](auto& r, double n) { return step(r, n, 0.5); }},
    {"a jump by 10 %, noise of 3 %", 0.03, [](auto& r, double n) { return step(r, n, 1.1); }},
    {"a ramp to twice the level, noise of 3 %", 0.03,
     [](auto& r, double n) { return ramp(r, n, 2); }},
    {"a ramp to four times the level, noise of 1 %", 0.01,
     [](auto& r, double n) { return ramp(r, n, 4); }},
    {"two jumps near each other, noise of 5 %", 0.05,
     [](auto& r, double n) {
         const double at = between(r, 6, n - 18);
         return std::vector<Corner>{{0, 100},      {at, 100},     {at, 150},
                                    {at + 6, 150}, {at + 6, 225}, {n, 225}};
     }},
    {"a ramp, then a jump, noise of 3 %", 0.03,
     [](auto& r, double n) {
         const double start = between(r, 6, n * 0.3);
         const double end = start + between(r, 4, n * 0.2);
         const double at = end + between(r, 6, n * 0.3);
         return std::vector<Corner>{{0, 100},  {start, 100}, {end, 200},
                                    {at, 200}, {at, 300},    {n, 300}};
     }},
    {"a plateau, then a rise to the end, noise of 3 %", 0.03,
     [](auto& r, double n) {
         const double at = between(r, 6, n * 0.6);
         return std::vector<Corner>{{0, 100}, {at, 100}, {n, 100 + 300 * (n - at) / n}};
     }},
    {"two ramps, noise of 3 %", 0.03,
     [](auto& r, double n) {
         const double at = between(r, n * 0.3, n * 0.7);
         return std::vector<Corner>{{0, 100}, {at, 200}, {n, 200 + 500 * (n - at) / n}};
     }},
};

std::vector<std::pair<ChangeKind, double>> changes_of(const std::vector<Corner>& corners)
{
    std::vector<std::pair<ChangeKind, double>> changes;
    for (std::size_t i = 1; i + 1 < corners.size(); ++i) {
        const bool jump = corners[i].x == corners[i + 1].x;
        changes.emplace_back(jump ? ChangeKind::jump : ChangeKind::bend, corners[i].x);
        i += jump ? 1 : 0;
    }
    return changes;
}

struct Tally {
    int curves = 0;
    int changed = 0;   ///< curves with any change found
    int as_truth = 0;  ///< curves with the true kinds of changes in their true order
    int intervals = 0; ///< of these curves
    int covering = 0;
};

Tally tally(const Family& family, std::size_t points, const NoiseChoice& noise, int curves)
{
    Tally sums;
    for (int i = 0; i < curves; ++i) {
        std::mt19937_64 random(1000U + static_cast<std::uint64_t>(i));
        const std::vector<Corner> corners = family.corners(random, static_cast<double>(points));
        const auto truth = changes_of(corners);
        const ChangePoints found = find_change_points(noisy_curve(random, corners, points, noise));
        ++sums.curves;
        sums.changed += shows_change(found) ? 1 : 0;
        bool same = found.changes.size() == truth.size();
        for (std::size_t c = 0; same && c < truth.size(); ++c) {
            same = found.changes[c].kind == truth[c].first;
        }
        sums.as_truth += same ? 1 : 0;
        for (std::size_t c = 0; same && c < truth.size(); ++c) {
            const CurvePlace& place = found.changes[c].place;
            ++sums.intervals;
            sums.covering += place.low <= truth[c].second && truth[c].second <= place.high ? 1 : 0;
        }
    }
    return sums;
}

} // namespace

TEST_CASE("curves without changes show one no more often than asked for")
{
    const auto kind = GENERATE(NoiseKind::gaussian, NoiseKind::student3, NoiseKind::outliers,
                               NoiseKind::log_normal, NoiseKind::exponential);
    const auto points = GENERATE(std::size_t{8}, std::size_t{30}, std::size_t{120});
    CAPTURE(static_cast<int>(kind), points);
    ChangePointOptions options;
    options.false_positives = 0.05;
    const int curves = points > 100 ? 150 : 300;
    int changed = 0;
    for (int i = 0; i < curves; ++i) {
        std::mt19937_64 random(50000U + static_cast<std::uint64_t>(i));
        const std::vector<ProbePoint> curve =
            noisy_curve(random, {{0, 100}}, points, {kind, 0.05, 5});
        changed += shows_change(find_change_points(curve, options)) ? 1 : 0;
    }
    // Were the rate 5 %, three standard deviations of a count above it.
    const double mean = 0.05 * curves;
    CHECK(changed <= mean + 3 * std::sqrt(mean * 0.95));
}

TEST_CASE("single samples keep the rate too, where none is far off")
{
    const auto kind = GENERATE(NoiseKind::gaussian, NoiseKind::student3, NoiseKind::log_normal);
    CAPTURE(static_cast<int>(kind));
    int changed = 0;
    for (int i = 0; i < 300; ++i) {
        std::mt19937_64 random(90000U + static_cast<std::uint64_t>(i));
        changed +=
            shows_change(find_change_points(noisy_curve(random, {{0, 3}}, 60, {kind, 0.1, 1}))) ? 1
                                                                                                : 0;
    }
    CHECK(changed <= 3 + 3 * std::sqrt(3.0)); // 1 % of 300
}

TEST_CASE("changes are found for what they are, and the intervals cover them")
{
    for (const Family& family : families) {
        for (const NoiseKind kind : {NoiseKind::gaussian, NoiseKind::outliers}) {
            CAPTURE(family.name, static_cast<int>(kind));
            const Tally sums = tally(family, 80, {kind, family.deviation, 5}, 150);
            CHECK(sums.changed >= 0.99 * sums.curves);
            CHECK(sums.as_truth >= 0.90 * sums.curves);
            CHECK(sums.covering >= 0.90 * sums.intervals);
        }
    }
}

TEST_CASE("a jump to twice the level is found at 10 % noise of single samples")
{
    const Tally sums = tally(families[0], 60, {NoiseKind::gaussian, 0.10, 1}, 300);
    CHECK(sums.changed == sums.curves);
    CHECK(sums.as_truth >= 0.95 * sums.curves);
}

TEST_CASE("curves without noise are found as they are")
{
    const std::vector<Corner> corners{{0, 50},  {20.5, 50}, {20.5, 80},
                                      {40, 80}, {55, 200},  {80, 200}};
    std::mt19937_64 random(1);
    const ChangePoints found =
        find_change_points(noisy_curve(random, corners, 80, {NoiseKind::gaussian, 0, 3}));
    REQUIRE(found.changes.size() == 3);
    CHECK(found.noise.of_points == least_noise);
    CHECK(found.outliers.empty());
    CHECK(found.changes[0].kind == ChangeKind::jump);
    CHECK(found.changes[0].place.x == 20.5);
    CHECK(found.changes[0].place.low == 20);
    CHECK(found.changes[0].place.high == 21);
    CHECK(found.changes[0].before == Approx(50));
    CHECK(found.changes[0].after == Approx(80));
    CHECK(found.changes[0].p_value < 1e-6);
    CHECK(found.changes[1].place.x == Approx(40).margin(0.1));
    CHECK(found.changes[2].place.x == Approx(55).margin(0.1));
    REQUIRE(found.segments.size() == 4);
    CHECK(found.segments[2].shape == SegmentShape::ramp);
    CHECK(found.segments[2].from_level == Approx(80));
    CHECK(found.segments[2].to_level == Approx(200));
    CHECK(found.segments[3].to == 80);
}

TEST_CASE("units do not matter, and what is found hangs together")
{
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        CAPTURE(seed);
        std::mt19937_64 random(seed);
        const Family& family = families[uniform_below(random, families.size())];
        std::vector<ProbePoint> curve = noisy_curve(random, family.corners(random, 60), 60,
                                                    {NoiseKind::outliers, family.deviation, 3});
        const ChangePoints found = find_change_points(curve);
        REQUIRE(found.segments.size() == found.changes.size() + 1);
        CHECK(found.segments.front().from == 1);
        CHECK(found.segments.back().to == 60);
        for (std::size_t i = 0; i < found.changes.size(); ++i) {
            const ChangePoint& change = found.changes[i];
            CHECK(change.place.low <= change.place.x);
            CHECK(change.place.x <= change.place.high);
            CHECK(change.place.x == found.segments[i].to);
            CHECK(change.place.x == found.segments[i + 1].from);
            CHECK(change.p_value <= 0.01 * (1 + 1e-9));
            CHECK(found.segments[i].points.last == found.segments[i + 1].points.first);
            if (change.kind == ChangeKind::bend) {
                CHECK(change.before == change.after);
            }
        }
        for (ProbePoint& point : curve) {
            point.x *= 1024;
            for (double& sample : point.samples) {
                sample *= 1e-6;
            }
        }
        const ChangePoints scaled = find_change_points(curve);
        CHECK(scaled.outliers == found.outliers);
        REQUIRE(scaled.changes.size() == found.changes.size());
        for (std::size_t i = 0; i < found.changes.size(); ++i) {
            CHECK(scaled.changes[i].kind == found.changes[i].kind);
            CHECK(scaled.changes[i].place.x ==
                  Approx(1024 * found.changes[i].place.x).epsilon(1e-3));
            CHECK(scaled.changes[i].after == Approx(1e-6 * found.changes[i].after).epsilon(1e-3));
        }
    }
}

TEST_CASE("points that stand out alone are outliers and no change")
{
    std::mt19937_64 random(5);
    std::vector<ProbePoint> curve =
        noisy_curve(random, {{0, 100}}, 50, {NoiseKind::gaussian, 0.02, 5});
    for (const std::size_t point :
         {std::size_t{0}, std::size_t{20}, std::size_t{21}, std::size_t{49}}) {
        for (double& sample : curve[point].samples) {
            sample *= 3;
        }
    }
    const ChangePoints found = find_change_points(curve);
    CHECK(found.changes.empty());
    CHECK(found.outliers == std::vector<std::size_t>{0, 20, 21, 49});
}

TEST_CASE("noise is estimated on curves that change")
{
    std::mt19937_64 random(11);
    const std::vector<Corner> corners{{0, 100},   {60, 100},  {60, 300},
                                      {120, 300}, {160, 600}, {200, 600}};
    const CurveNoise noise =
        find_change_points(noisy_curve(random, corners, 200, {NoiseKind::outliers, 0.05, 5})).noise;
    CHECK(noise.of_samples == Approx(0.05).epsilon(0.2));
    CHECK(noise.of_points == Approx(0.05 * 0.536).epsilon(0.3)); // deviation of the median of five
}

TEST_CASE("very short curves show nothing, and the option without ramps keeps to plateaus")
{
    for (std::size_t points = 1; points <= 4; ++points) {
        std::mt19937_64 random(points);
        const ChangePoints found = find_change_points(
            noisy_curve(random, {{0, 100}}, points, {NoiseKind::gaussian, 0.05, 3}));
        CHECK(found.changes.empty());
        REQUIRE(found.segments.size() == 1);
        CHECK(found.segments[0].from_level == Approx(100).epsilon(0.2));
    }
    std::mt19937_64 random(3);
    ChangePointOptions options;
    options.ramps = false;
    const ChangePoints found =
        find_change_points(noisy_curve(random, {{0, 100}, {20, 100}, {40, 300}, {60, 300}}, 60,
                                       {NoiseKind::gaussian, 0.03, 3}),
                           options);
    CHECK(found.changes.size() >= 2);
    for (const CurveSegment& segment : found.segments) {
        CHECK(segment.shape == SegmentShape::plateau);
    }
}

TEST_CASE("curves that are none are refused")
{
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double infinity = std::numeric_limits<double>::infinity();
    using Curve = std::vector<ProbePoint>;
    CHECK_THROWS_AS(find_change_points(Curve{}), Error);
    CHECK_THROWS_AS(find_change_points(Curve{{1, {}}}), Error);
    CHECK_THROWS_AS(find_change_points(Curve{{1, {2}}, {1, {2}}}), Error);
    CHECK_THROWS_AS(find_change_points(Curve{{2, {2}}, {1, {2}}}), Error);
    CHECK_THROWS_AS(find_change_points(Curve{{nan, {2}}}), Error);
    CHECK_THROWS_AS(find_change_points(Curve{{1, {nan}}}), Error);
    CHECK_THROWS_AS(find_change_points(Curve{{1, {infinity}}}), Error);
    CHECK_THROWS_AS(find_change_points(Curve{{1, {0}}}), Error);
    CHECK_THROWS_AS(find_change_points(Curve{{1, {2, -1}}}), Error);
    CHECK_THROWS_AS(find_change_points(Curve{{1, {2}}}, {0.0}), Error);
    CHECK_THROWS_AS(find_change_points(Curve{{1, {2}}}, {0.01, 1.0}), Error);
    CHECK_THROWS_AS(find_change_points(Curve{{1, {2}}}, {0.01, 0.95, true, 2}), Error);
}

TEST_CASE("penalties and chances are inverse, and chi-squared quantiles are those of tables")
{
    for (const double chance : {0.2, 0.05, 0.01, 1e-6}) {
        for (const CurveSize& size : {CurveSize{4, 4}, CurveSize{50, 150}, CurveSize{400, 4000}}) {
            CHECK(chance_of_gain(size, change_penalty(size, chance)) == Approx(chance));
            CHECK(change_penalty(size, chance) >=
                  2 * std::log(static_cast<double>(size.points) / chance));
        }
    }
    CHECK(chance_of_gain({100, 100}, 0) == 1);
    CHECK(chi_squared_quantile(0.95) == Approx(3.841459));
    CHECK(chi_squared_quantile(0.99) == Approx(6.634897));
}
