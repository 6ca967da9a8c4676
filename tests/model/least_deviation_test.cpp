// Constants and factors of least distance, against a search over all of them.

#include "base/random.hpp"
#include "model/statistics/least_deviation.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <random>

using namespace texelscope::base;
using namespace texelscope::model;

namespace {

double sum_of_errors(const std::vector<double>& judged, const std::vector<double>& measured,
                     double factor, double constant)
{
    double sum = 0;
    for (std::size_t i = 0; i < judged.size(); ++i) {
        sum += std::abs((factor * judged[i] + constant) / measured[i] - 1);
    }
    return sum;
}

std::vector<double> some_times(std::mt19937_64& random, std::size_t count)
{
    std::vector<double> times(count);
    for (double& time : times) {
        time = std::exp(2 * standard_normal(random));
    }
    return times;
}

} // namespace

TEST_CASE("least deviation: no constant and no factor is better", "[statistics]")
{
    std::mt19937_64 random(3);
    for (int round = 0; round < 200; ++round) {
        const std::vector<double> judged = some_times(random, 1 + uniform_below(random, 30));
        std::vector<double> measured = some_times(random, judged.size());
        if (round % 2 == 0) { // the judge is right, but for a constant
            for (std::size_t i = 0; i < judged.size(); ++i) {
                measured[i] = judged[i] + 2.5;
            }
        }
        const double constant = added_constant(judged, measured);
        INFO("round " << round);
        REQUIRE(constant >= 0);
        if (round % 2 == 0) {
            REQUIRE(constant == Approx(2.5));
        }
        const double least = sum_of_errors(judged, measured, 1, constant);
        const double factor = fitted_factor(judged, measured);
        const double least_scaled = sum_of_errors(judged, measured, factor, 0);
        for (int step = 0; step <= 2000; ++step) {
            REQUIRE(sum_of_errors(judged, measured, 1, step * 0.01) >= least - 1e-9);
            REQUIRE(sum_of_errors(judged, measured, step * 0.005, 0) >= least_scaled - 1e-9);
        }
    }
}

TEST_CASE("least deviation: worked examples", "[statistics]")
{
    CHECK(added_constant(std::vector{5.0, 9.0}, std::vector{1.0, 2.0}) == 0); // never below 0
    CHECK(added_constant(std::vector{1.0, 2.0, 7.0}, std::vector{4.0, 5.0, 10.0}) == 3);
}
