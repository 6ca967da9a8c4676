#include "devices/opencl/launch_times.hpp"

#include <catch2/catch.hpp>

#include <vector>

using namespace texelscope::devices;

TEST_CASE("times that devices give are believed")
{
    // Short kernels of a GPU, with stamps since 1970; a clock in steps of 1 us; one launch alone; a
    // kernel that takes as long as the host waits, on a clock that is 1 % fast.
    const std::uint64_t now = 1'790'000'000'000'000'000;
    CHECK(can_be_times({{now, now + 2'048, 11'000}, {now + 15'000, now + 17'080, 10'500}}, 1000));
    CHECK(can_be_times({{5'000, 6'000, 900}, {6'000, 7'000, 1'500}}, 1000));
    CHECK(can_be_times({{100, 110, 20}}, 0));
    CHECK(can_be_times({{0, 1'010'000'000, 1'000'000'000}}, 1));
    CHECK(can_be_times({}, 0));
}

TEST_CASE("times that no launch can have are not believed")
{
    const LaunchTime good{1'000, 3'000, 9'000};
    const LaunchTime after{12'000, 14'000, 9'000};
    REQUIRE(can_be_times({good, after}, 0));
    const auto alone = [&](std::uint64_t start, std::uint64_t end, double wall, double resolution) {
        const bool possible = can_be_times({{start, end, wall}}, resolution);
        CHECK(can_be_times({good, after, {20'000 + start, 20'000 + end, wall}}, resolution) ==
              possible);
        return possible;
    };
    CHECK_FALSE(alone(2, 3, 50'000, 0));         // made up
    CHECK_FALSE(alone(7, 7, 50'000, 0));         // nothing at all
    CHECK_FALSE(alone(7, 7, 50'000, 1'000));     // shorter than a step of the clock
    CHECK_FALSE(alone(3'000, 1'000, 50'000, 0)); // backwards: no huge number either
    CHECK_FALSE(alone(100, 109, 50'000, 0));
    CHECK_FALSE(alone(0, 60'000, 50'000, 0)); // longer than the host waited
    CHECK(alone(0, 60'000, 50'000, 10'000));  // but for a step
    CHECK_FALSE(alone(0, 52'501, 50'000, 0));
    CHECK(alone(0, 52'499, 50'000, 0));
}

TEST_CASE("a clock that stands still or jumps back is not believed")
{
    // the same for every launch
    CHECK_FALSE(can_be_times({{0, 5'000, 9'000}, {0, 5'000, 9'000}}, 0));
    CHECK_FALSE(can_be_times({{100'000, 105'000, 9'000}, {50'000, 55'000, 9'000}}, 0));
    CHECK(can_be_times({{100'000, 105'000, 9'000}, {104'500, 109'000, 9'000}}, 500));
    CHECK_FALSE(can_be_times({{100'000, 105'000, 9'000}, {104'499, 109'000, 9'000}}, 500));
}
