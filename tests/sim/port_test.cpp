#include "sim/port.hpp"
#include "tests/traces/random.hpp"

#include <catch2/catch.hpp>

#include <vector>

using namespace texelscope;
using namespace texelscope::test;

TEST_CASE("a port books the first gap that fits, as a timetable of whole cycles does")
{
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        Random random(seed);
        Port port;
        std::vector<bool> busy(4096, false);
        std::int64_t now = 0;
        for (int i = 0; i < 60; ++i) {
            now += random.small(0, 3);
            const std::int64_t time = now + random.small(0, 40);
            const int duration = random.small(1, 6);
            std::int64_t start = time;
            const auto fits = [&] {
                for (int d = 0; d < duration; ++d) {
                    if (busy[static_cast<std::size_t>(start + d)]) {
                        return false;
                    }
                }
                return true;
            };
            while (!fits()) {
                ++start;
            }
            for (int d = 0; d < duration; ++d) {
                busy[static_cast<std::size_t>(start + d)] = true;
            }
            CAPTURE(seed, i, time, duration);
            REQUIRE(port.book(static_cast<double>(time), duration, static_cast<double>(now)) ==
                    static_cast<double>(start));
        }
    }
}
