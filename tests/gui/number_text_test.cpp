#include "gui/widgets/number_text.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace texelscope::gui;

TEST_CASE("numbers are written for people")
{
    CHECK(count_text(0) == "0");
    CHECK(count_text(1234567) == "1,234,567");
    CHECK(share_text(1, 8) == "12.5 %");
    CHECK(share_text(0, 0) == "0.0 %");
    CHECK(time_text({0.5}) == "0.5 ns");
    CHECK(time_text({12345}) == u"12.35 µs");
    CHECK(time_text({3e9}) == "3 s");
    CHECK(bytes_text(Bytes{96}) == "96 B");
    CHECK(bytes_text(Bytes{1024}) == "1 KiB");
    CHECK(bytes_text(Bytes{3 * 1024 * 1024 + 512 * 1024}) == "3.5 MiB");
}

TEST_CASE("linear ticks ascend in even steps from 0 and leave no step out")
{
    for (const int wanted : {1, 2, 5, 9}) {
        for (std::int64_t max = 0; max < 3000; max += 1 + max / 7) {
            CAPTURE(max, wanted);
            const auto ticks = linear_ticks(max, wanted);
            REQUIRE(ticks.front() == 0);
            CHECK(ticks.back() <= max);
            CHECK(static_cast<int>(ticks.size()) <= std::max(wanted, 2) + 1);
            if (max > 0) {
                REQUIRE(ticks.size() > 1);
                const std::int64_t step = ticks[1];
                for (std::size_t i = 0; i < ticks.size(); ++i) {
                    CHECK(ticks[i] == static_cast<std::int64_t>(i) * step);
                }
                CHECK(ticks.back() + step > max);
            }
        }
    }
}

TEST_CASE("logarithmic ticks are the powers of ten and the end of the scale")
{
    CHECK(logarithmic_ticks(0) == std::vector<std::int64_t>{0});
    CHECK(logarithmic_ticks(1) == std::vector<std::int64_t>{0, 1});
    CHECK(logarithmic_ticks(64) == std::vector<std::int64_t>{0, 1, 10, 64});
    CHECK(logarithmic_ticks(100) == std::vector<std::int64_t>{0, 1, 10, 100});
    CHECK(logarithmic_ticks(150) == std::vector<std::int64_t>{0, 1, 10, 100});
}
