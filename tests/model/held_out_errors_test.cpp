#include "base/error.hpp"
#include "base/random.hpp"
#include "model/tmmodel/held_out_errors.hpp"
#include "small_device.hpp"
#include "walk_samples.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>

using namespace texelscope::model;
using namespace texelscope::test;

namespace {

double hundred(const CrossBlockHistogram&)
{
    return 100;
}

/// Times such that the error of walk i, as |log(measured / predicted)|, is errors[i]; every other
/// one too long.
std::vector<Nanoseconds> with_errors(const std::vector<WalkSample>& walks,
                                     const std::vector<double>& errors)
{
    std::vector<Nanoseconds> times;
    for (std::size_t i = 0; i < walks.size(); ++i) {
        times.push_back(walks[i].per_access * std::exp(i % 2 == 0 ? errors[i] : -errors[i]));
    }
    return times;
}

std::vector<double> distances_of(const std::vector<WalkSample>& walks)
{
    return CalibratedRegion(walks).walk_distances();
}

} // namespace

TEST_CASE("the bound is the order statistic that conformal prediction takes")
{
    std::mt19937_64 random(1);
    for (const int count : {8, 9, 19, 39}) {
        CAPTURE(count);
        const std::vector<WalkSample> walks = walk_samples(random, count, hundred);
        std::vector<double> errors;
        for (int i = 0; i < count; ++i) {
            // 0.01 .. 0.01 count, mixed: 7 divides no count here
            errors.push_back(0.01 * ((7 * i) % count + 1));
        }
        const HeldOutErrors held_out(walks, with_errors(walks, errors));
        REQUIRE(held_out.groups().size() == 1);
        // ceil((n + 1) 0.9): of 9 the 9th, of 19 the 18th, of 39 the 36th, of 8 there is no 9th.
        const ErrorBound bound = held_out.bound(0.0, 0.9);
        CHECK_FALSE(bound.outside);
        if (count == 8) {
            CHECK(std::isinf(bound.log_error));
        } else {
            const int rank = count == 9 ? 9 : count == 19 ? 18 : 36;
            CHECK(bound.log_error == Approx(0.01 * rank));
        }
        CHECK(held_out.bound(0.0, 0.5).log_error == Approx(0.01 * std::ceil((count + 1) * 0.5)));
    }
}

TEST_CASE("bounds widen with the distance, and end where the walks do")
{
    std::mt19937_64 random(2);
    const std::vector<WalkSample> walks = walk_samples(random, 200, hundred);
    const std::vector<double> distances = distances_of(walks);
    std::vector<double> sorted = distances;
    std::sort(sorted.begin(), sorted.end());
    std::vector<double> rising;
    std::vector<double> falling;
    for (const double distance : distances) {
        rising.push_back(0.05 + distance);
        falling.push_back(0.05 + sorted.back() - distance);
    }

    const HeldOutErrors wider(walks, with_errors(walks, rising));
    REQUIRE(wider.groups().size() == 4);
    CHECK(wider.groups().back().up_to == sorted.back());
    double last = 0;
    for (std::size_t g = 0; g < 4; ++g) {
        const HeldOutErrors::Group& group = wider.groups()[g];
        CHECK(group.errors.size() == 50);
        CHECK(group.up_to == sorted[50 * g + 49]);
        const ErrorBound bound = wider.bound(group.up_to, 0.9);
        CHECK(bound.log_error > last);
        // The group's walks in the order of their errors are those in the order of distance: the
        // 46th of 50.
        CHECK(bound.log_error == Approx(0.05 + sorted[50 * g + 45]));
        last = bound.log_error;
    }
    CHECK(wider.bound(std::nextafter(sorted.back(), 1e9), 0.9).outside);
    CHECK(std::isinf(wider.bound(2 * sorted.back(), 0.9).log_error));

    // Walks far from the others happen to be predicted better: no reason to trust a far prediction
    // more than a near one.
    const HeldOutErrors not_narrower(walks, with_errors(walks, falling));
    CHECK(not_narrower.bound(sorted.back(), 0.9).log_error ==
          not_narrower.bound(0.0, 0.9).log_error);

    CrossBlockHistogram off = walks.front().histogram;
    for (CrossBlockHistogram::Bin& bin : off.bins) {
        bin.x = 10 * off.accesses; // more strides than accesses: nothing like a walk
    }
    CHECK(wider.bound(off, 0.9).outside);
}

TEST_CASE("a prediction that is not positive is off by any factor")
{
    std::mt19937_64 random(3);
    const std::vector<WalkSample> walks = walk_samples(random, 20, hundred);
    std::vector<Nanoseconds> times(20, Nanoseconds{100});
    times[3] = Nanoseconds{-5};
    // the 19th of 20: one may be anything
    CHECK(HeldOutErrors(walks, times).bound(0.0, 0.9).log_error == 0);
    times[4] = Nanoseconds{0};
    CHECK(std::isinf(HeldOutErrors(walks, times).bound(0.0, 0.9).log_error));
}

TEST_CASE(
    "nine of ten walks that a calibration has not seen lie within its bounds, few walks or many")
{
    // Every calibration is of other walks out of 1,600 on a simulated device, and is asked about
    // 200 of the rest.
    const Calibration all = calibrate_simulated(small_device(), short_walks(1600, 11));
    for (const bool fresh : {false, true}) {
        const std::vector<WalkSample>& walks = fresh ? all.fresh_walks : all.walks;
        for (const std::size_t count : {12U, 40U, 240U}) {
            std::mt19937_64 random(count);
            std::size_t bounded = 0;
            std::size_t inside = 0;
            std::size_t outside = 0;
            constexpr std::uint64_t repetitions = 20;
            constexpr std::size_t asked = 200;
            for (std::uint64_t repetition = 1; repetition <= repetitions; ++repetition) {
                const std::vector<std::size_t> order = shuffled_indices(random, walks.size());
                std::vector<WalkSample> seen;
                for (std::size_t i = 0; i < count; ++i) {
                    seen.push_back(walks[order[i]]);
                }
                const LinearModel model = fit_linear_model(seen, repetition);
                const HeldOutErrors errors(seen,
                                           held_out_times(seen, model.regression, repetition));
                for (std::size_t i = count; i < count + asked; ++i) {
                    const WalkSample& walk = walks[order[i]];
                    const ErrorBound bound = errors.bound(walk.histogram, 0.9);
                    const double predicted = model.predict(walk.histogram).value /
                                             static_cast<double>(walk.histogram.accesses);
                    outside += bound.outside ? 1U : 0U;
                    if (std::isfinite(bound.log_error)) {
                        ++bounded;
                        inside += predicted > 0 &&
                                          std::abs(std::log(walk.per_access.value / predicted)) <=
                                              bound.log_error
                                      ? 1U
                                      : 0U;
                    }
                }
            }
            const double covered = static_cast<double>(inside) / static_cast<double>(bounded);
            const double far = static_cast<double>(outside) / (repetitions * asked);
            CAPTURE(fresh, count, covered, far, bounded);
            CHECK(covered >= 0.85);
            CHECK(bounded >= repetitions * asked / 2); // and not because most have no bounds
            CHECK(far <= 2.0 / static_cast<double>(count));
        }
    }
}

TEST_CASE("held-out errors refuse what does not belong together")
{
    std::mt19937_64 random(4);
    const std::vector<WalkSample> walks = walk_samples(random, 10, hundred);
    const std::vector<Nanoseconds> times(10, Nanoseconds{100});
    CHECK_THROWS_AS(HeldOutErrors(walks, {times.begin(), times.begin() + 9}), Error);
    CHECK_THROWS_AS(HeldOutErrors({}, {}), Error);
    const HeldOutErrors errors(walks, times);
    CHECK_THROWS_AS(errors.bound(0.0, 0.0), Error);
    CHECK_THROWS_AS(errors.bound(0.0, 1.0), Error);
    const Extent2D shape{3, 3};
    CHECK_THROWS_AS(
        errors.bound(cross_block_histogram(std::vector<Texel>{{0, 0}}, {&shape, 1}), 0.9), Error);
}
