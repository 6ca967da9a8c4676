// The model's readings against each other.

#include "devices/profile/device_profile.hpp"
#include "experiments/experiment.hpp"
#include "experiments/tmmodel/model_readings.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>

using namespace texelscope::experiments;

namespace {

std::size_t place_of(const Reading& reading)
{
    const std::vector<Reading> readings = all_readings();
    return static_cast<std::size_t>(std::ranges::find(readings, reading) - readings.begin());
}

/// Every reading twice as slow as the best, but for two of them.
ReadingCase made_up(bool chosen_on, double printed, double refined)
{
    ReadingCase one{"matmul 8,8,8", chosen_on, std::vector<double>(all_readings().size(), 2), 1.1};
    one.ratios[place_of({})] = printed;
    one.ratios[place_of(best_reading())] = refined;
    return one;
}

} // namespace

TEST_CASE("Findings on readings follow from the cases: chosen on some, judged on others")
{
    const std::vector<ReadingCase> cases{made_up(true, 4, 1.5), made_up(false, 4, 1.1),
                                         made_up(false, 9, 1.3)};
    CHECK(reading_mean(cases, place_of({}), false) == Approx(6));
    CHECK(reading_mean(cases, place_of({}), true) == Approx(4));
    const std::vector<Finding> findings = reading_findings(cases);
    REQUIRE(findings.size() == 4);
    CHECK(findings[0].verdict == Verdict::holds);
    CHECK(findings[1].verdict == Verdict::holds);
    CHECK(findings[2].verdict == Verdict::holds); // sqrt(1.1 * 1.3) = 1.196
    CHECK(findings[3].verdict == Verdict::does_not_hold);

    const std::vector<Finding> other =
        reading_findings({made_up(true, 1.4, 1.5), made_up(false, 1.4, 1.5)});
    CHECK(other[0].verdict == Verdict::does_not_hold);
    CHECK(other[1].verdict == Verdict::does_not_hold);
    CHECK(other[2].verdict == Verdict::does_not_hold);
    CHECK(reading_findings({})[1].verdict == Verdict::not_tested);
}

TEST_CASE(
    "Readings are chosen on every other shape of a kind, and none chooses better than the best")
{
    const DeviceProfile device = find_profile("adreno-740");
    const std::vector<Operator> operators{parse_operator("matmul", "32,32,32"),
                                          parse_operator("softmax", "32,64"),
                                          parse_operator("matmul", "64,32,32")};
    const auto cases =
        timed_readings(operators, {device}, {.draws = 20, .first = 4, .sample = 1'000});
    REQUIRE(cases.size() == 3);
    CHECK(cases[0].chosen_on);
    CHECK(cases[1].chosen_on);
    CHECK_FALSE(cases[2].chosen_on);
    for (const ReadingCase& one : cases) {
        CHECK(one.ratios.size() == all_readings().size());
        CHECK(std::ranges::min(one.ratios) >= 1 - 1e-12); // means are of logarithms
        CHECK(one.bottleneck >= 1 - 1e-12);
    }
}
