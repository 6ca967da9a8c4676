#include "base/random.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace texelscope::base;

TEST_CASE("whole numbers below a bound are all reached, about as often")
{
    std::mt19937_64 random(1);
    std::vector<int> seen(7, 0);
    for (int i = 0; i < 7000; ++i) {
        seen.at(static_cast<std::size_t>(uniform_below(random, 7)))++;
    }
    CHECK(*std::min_element(seen.begin(), seen.end()) > 850); // 5 standard deviations below 1000
    CHECK(*std::max_element(seen.begin(), seen.end()) < 1150);
}

TEST_CASE("real numbers from 0 to below 1 have mean one half")
{
    std::mt19937_64 random(2);
    double sum = 0;
    for (int i = 0; i < 10000; ++i) {
        const double value = uniform_real(random);
        REQUIRE((value >= 0 && value < 1));
        sum += value;
    }
    CHECK(sum / 10000 == Approx(0.5).margin(0.015));
}

TEST_CASE("shuffled indices are a permutation, the same for the same seed")
{
    std::mt19937_64 random(3);
    std::vector<std::size_t> shuffled = shuffled_indices(random, 50);
    std::mt19937_64 again(3);
    CHECK(shuffled == shuffled_indices(again, 50));
    CHECK(shuffled != shuffled_indices(again, 50));
    std::sort(shuffled.begin(), shuffled.end());
    for (std::size_t i = 0; i < 50; ++i) {
        CHECK(shuffled[i] == i);
    }
    CHECK(shuffled_indices(random, 0).empty());
}
