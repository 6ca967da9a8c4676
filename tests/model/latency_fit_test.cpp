#include "base/random.hpp"
#include "model/tmmodel/latency_fit.hpp"

#include <catch2/catch.hpp>

#include <numeric>
#include <vector>

using namespace texelscope::model;

namespace {

struct LatencySamples {
    std::vector<double> ratios;
    std::vector<double> ns;
    std::vector<std::size_t> all;
};

LatencySamples random_samples(std::uint64_t seed, std::size_t count)
{
    std::mt19937_64 random(seed);
    LatencySamples samples;
    for (std::size_t i = 0; i < count; ++i) {
        samples.ratios.push_back(uniform_real(random));
        const double stray =
            uniform_below(random, 8) == 0 ? 2 * uniform_real(random) : 0.05 * uniform_real(random);
        samples.ns.push_back((50 + 100 * samples.ratios.back()) * (1 + stray));
    }
    samples.all.resize(count);
    std::iota(samples.all.begin(), samples.all.end(), std::size_t{0});
    return samples;
}

/// The least mean relative error: some best line passes through two of the points, or is flat
/// through one.
double least_error(const LatencySamples& s)
{
    double least = 1e9;
    for (std::size_t i = 0; i < s.ns.size(); ++i) {
        least = std::min(least, mean_relative_error({s.ns[i], 0}, s.ratios, s.ns, s.all));
        for (std::size_t j = 0; j < i; ++j) {
            const double miss = (s.ns[i] - s.ns[j]) / (s.ratios[i] - s.ratios[j]);
            if (miss >= 0) {
                least = std::min(least, mean_relative_error({s.ns[i] - miss * s.ratios[i], miss},
                                                            s.ratios, s.ns, s.all));
            }
        }
    }
    return least;
}

} // namespace

TEST_CASE("the fitted latencies have the least mean relative error")
{
    const std::uint64_t seed = GENERATE(range(std::uint64_t{1}, std::uint64_t{31}));
    CAPTURE(seed);
    const LatencySamples samples = random_samples(seed, 20);
    const LatencyLine line = fit_latency(samples.ratios, samples.ns, samples.all, 200);
    const double error = mean_relative_error(line, samples.ratios, samples.ns, samples.all);
    const double least = least_error(samples);
    CHECK(error >= least * (1 - 1e-9));
    CHECK(error <= least * 1.002);
    const LatencyLine quick = fit_latency(samples.ratios, samples.ns, samples.all);
    CHECK(mean_relative_error(quick, samples.ratios, samples.ns, samples.all) <= least * 1.02);
}

TEST_CASE("latencies on a line give that line, and walks that were not chosen do not matter")
{
    const std::vector<double> ratios{0, 0.25, 0.5, 1, 0.7};
    const std::vector<double> ns{40, 60, 80, 120, 9999};
    const LatencyLine line = fit_latency(ratios, ns, std::vector<std::size_t>{0, 1, 2, 3});
    CHECK(line.hit == Approx(40));
    CHECK(line.miss == Approx(80));
}

TEST_CASE("a miss never costs less than nothing")
{
    const std::vector<double> ratios{0, 0.5, 1};
    const std::vector<double> ns{100, 90, 80};
    const std::vector<std::size_t> all{0, 1, 2};
    CHECK(fit_latency(ratios, ns, all).miss == 0);
    CHECK(fit_latency(ratios, ns, all).hit == Approx(90).epsilon(0.12));
    const std::vector<double> same{0.5, 0.5, 0.5};
    CHECK(fit_latency(same, ns, all).miss == 0);
}
