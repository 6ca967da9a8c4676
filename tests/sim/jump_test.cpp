#include "sim/simulate.hpp"
#include "tests/sim/random_launch.hpp"
#include "tests/sim/result_difference.hpp"
#include "traces/launch_source.hpp"

#include <catch2/catch.hpp>

using namespace texelscope;
using namespace texelscope::test;

namespace {

SimulationResult simulate_case(const LaunchCase& c, bool jump)
{
    SimulationOptions options = c.options;
    options.jump = jump;
    return simulate(*make_trace_source(c.launch), options);
}

/// Access by access, through the memory hierarchy that tells observers of every lookup.
SimulationResult watched(const LaunchCase& c)
{
    SimulationObserver nobody;
    SimulationObserver* observer = &nobody;
    return simulate(*make_trace_source(c.launch), c.options, {&observer, 1});
}

} // namespace

TEST_CASE("2000 random launches: jumping over repetition changes no count")
{
    std::int64_t steps = 0;
    std::int64_t simulated = 0;
    int jumped = 0;
    int failures = 0;
    for (std::uint64_t seed = 1; seed <= 2000 && failures < 3; ++seed) {
        Random random(seed);
        const LaunchCase c = random_launch_case(random);
        const SimulationResult expected = watched(c);
        const SimulationResult walked = simulate_case(c, false);
        const SimulationResult got = simulate_case(c, true);
        const std::string walk = result_difference(expected, walked);
        const std::string text = result_difference(expected, got);
        steps += got.steps;
        simulated += got.simulated_steps;
        jumped += got.simulated_steps < got.steps ? 1 : 0;
        if (!walk.empty() || !text.empty()) {
            ++failures;
            UNSCOPED_INFO("seed " << seed << "\nwalked:\n" << walk << "jumped:\n" << text << describe(c));
            CHECK(failures == 0);
        }
    }
    // Guards the comparison against cases that never jump.
    INFO(jumped << " of 2000 jumped, " << simulated << " of " << steps << " steps were simulated");
    CHECK(jumped > 250);
    CHECK(simulated < steps);
}
