#include "base/error.hpp"
#include "base/random.hpp"
#include "model/statistics/kendall.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>
#include <vector>

using namespace texelscope::model;

namespace {

/// The definition, pair by pair.
std::optional<double> slow_tau_b(const std::vector<double>& a, const std::vector<double>& b)
{
    double balance = 0;
    double untied_a = 0;
    double untied_b = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            const int sign_a = (a[i] > a[j]) - (a[i] < a[j]);
            const int sign_b = (b[i] > b[j]) - (b[i] < b[j]);
            balance += sign_a * sign_b;
            untied_a += sign_a * sign_a;
            untied_b += sign_b * sign_b;
        }
    }
    if (untied_a == 0 || untied_b == 0) {
        return std::nullopt;
    }
    return balance / std::sqrt(untied_a * untied_b);
}

std::vector<double> random_values(std::mt19937_64& random, std::size_t count, std::uint64_t kinds)
{
    std::vector<double> values(count);
    for (double& value : values) {
        value = static_cast<double>(uniform_below(random, kinds)) - 3;
    }
    return values;
}

} // namespace

TEST_CASE("tau-b agrees with its definition on random data with few and many ties")
{
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        CAPTURE(seed);
        std::mt19937_64 random(seed);
        const std::size_t count = uniform_below(random, 40);
        const std::vector<double> a = random_values(random, count, 1 + uniform_below(random, 60));
        const std::vector<double> b = random_values(random, count, 1 + uniform_below(random, 60));
        const std::optional<double> fast = kendall_tau_b(a, b);
        const std::optional<double> slow = slow_tau_b(a, b);
        REQUIRE(fast.has_value() == slow.has_value());
        if (fast) {
            CHECK(*fast == Approx(*slow).margin(1e-12));
        }
    }
}

TEST_CASE("tau-b of known orders")
{
    const std::vector<double> up{1, 2, 3, 4, 5};
    CHECK(kendall_tau_b(up, up) == 1.0);
    CHECK(kendall_tau_b(up, std::vector<double>{5, 4, 3, 2, 1}) == -1.0);
    // one pair of ten turned
    CHECK(*kendall_tau_b(up, std::vector<double>{2, 1, 3, 4, 5}) == Approx(0.8));
    // 5 concordant, none discordant, one pair tied in b: 5 / sqrt(6 * 5)
    CHECK(*kendall_tau_b(std::vector<double>{1, 2, 3, 4}, std::vector<double>{1, 2, 2, 3}) ==
          Approx(5 / std::sqrt(30.0)));
    CHECK_FALSE(kendall_tau_b(up, std::vector<double>(5, 1.0)));
    CHECK_FALSE(kendall_tau_b(std::vector<double>{1}, std::vector<double>{1}));
    CHECK_THROWS_AS(kendall_tau_b(up, std::vector<double>{1}), Error);
    CHECK_THROWS_AS(kendall_tau_b(std::vector<double>{1, std::nan("")}, std::vector<double>{1, 2}),
                    Error);
}

TEST_CASE("regret is what the judge's first choice costs above the best")
{
    const std::vector<double> truth{30, 20, 50};
    CHECK(regret(std::vector<double>{1, 2, 3}, truth) == Approx(0.5));
    CHECK(regret(std::vector<double>{3, 1, 2}, truth) == 0);
    CHECK(regret(std::vector<double>{9, 9, 1}, truth) == Approx(1.5));
    CHECK(regret(std::vector<double>{1, 1, 2}, truth) == Approx(0.5)); // a tie: the first
    CHECK(regret(truth, truth) == 0);
    CHECK_THROWS_AS(regret({}, {}), Error);
    CHECK_THROWS_AS(regret(std::vector<double>{1}, truth), Error);
    CHECK_THROWS_AS(regret(std::vector<double>{1, 2}, std::vector<double>{0, 1}), Error);
}
