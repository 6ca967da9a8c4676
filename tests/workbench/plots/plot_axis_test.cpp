#include "workbench/plots/plot_axis.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <random>

using namespace texelscope::workbench::plots;

TEST_CASE("an axis holds its values and has ticks that keep their distance")
{
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        CAPTURE(seed);
        std::mt19937_64 random(seed);
        const auto exponent = [&](double range) {
            return range * static_cast<double>(random() % 1000) / 1000;
        };
        std::vector<double> values(1 + random() % 20);
        const double range = exponent(8);
        for (double& value : values) {
            value = std::pow(10.0, exponent(range) - 3);
        }
        const PlotAxis axis = log_axis(values);
        for (const double value : values) {
            CHECK(axis.place(value) > 0);
            CHECK(axis.place(value) < 1);
        }
        for (const int most : {1, 2, 5, 12}) {
            const std::vector<double> ticks = axis.ticks(most);
            REQUIRE_FALSE(ticks.empty());
            CHECK(ticks.front() >= axis.low);
            CHECK(ticks.back() <= axis.high);
            for (std::size_t i = 1; i < ticks.size(); ++i) {
                CHECK(axis.place(ticks[i]) - axis.place(ticks[i - 1]) >= 1.0 / most);
            }
        }
    }
}

TEST_CASE("ticks are as fine as there is room")
{
    const PlotAxis decades{1, 100, true};
    CHECK(decades.ticks(8) == std::vector<double>{1, 2, 5, 10, 20, 50, 100});
    CHECK(decades.ticks(3) == std::vector<double>{1, 10, 100});
    CHECK(decades.place(10) == Approx(0.5));
}

TEST_CASE("values without a logarithm are passed over")
{
    const PlotAxis axis = log_axis(std::vector<double>{0, -3, 4});
    CHECK(axis.low < 4);
    CHECK(axis.high > 4);
    CHECK(axis.low > 3);
    CHECK(log_axis({}).low > 0);
}

TEST_CASE("linear ticks ascend in even steps from 0 and leave no step out")
{
    for (const int wanted : {1, 2, 5, 9}) {
        for (std::int64_t max = 1; max < 3000; max += 1 + max / 7) {
            CAPTURE(max, wanted);
            const auto last = static_cast<double>(max);
            const std::vector<double> ticks = PlotAxis{0, last}.ticks(wanted);
            REQUIRE_FALSE(ticks.empty());
            CHECK(ticks.front() == 0);
            CHECK(ticks.back() <= last * (1 + 1e-9));
            CHECK(static_cast<int>(ticks.size()) <= wanted + 1);
            const double step = ticks.size() > 1 ? ticks[1] : 2 * last;
            for (std::size_t i = 0; i < ticks.size(); ++i) {
                CHECK(ticks[i] == Approx(static_cast<double>(i) * step));
            }
            CHECK(ticks.back() + step > last);
        }
    }
}
