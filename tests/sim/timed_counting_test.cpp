// The timed mode looks accesses up in one way for observers and in two others where nobody watches.

#include "tests/sim/random_launch.hpp"
#include "tests/sim/result_difference.hpp"
#include "tests/sim/timed_case.hpp"
#include "traces/launch_source.hpp"

#include <catch2/catch.hpp>

using namespace texelscope::sim;
using namespace texelscope::test;

namespace {

/// Runs with and without an observer.
std::string difference(const TraceSource& source, const SimulationOptions& options)
{
    SimulationObserver observer;
    const std::vector<SimulationObserver*> observers{&observer};
    return result_difference(simulate(source, options, observers), simulate(source, options));
}

} // namespace

TEST_CASE("Time is the same whether or not somebody watches", "[timed]")
{
    SECTION("traces")
    {
        for (std::uint64_t seed = 1; seed <= 300; ++seed) {
            const SimulationCase c = seed % 3 == 0 ? quarter_cycle_case(seed) : timed_case(seed);
            INFO("seed " << seed << "\n" << describe(c));
            REQUIRE(difference(*c.source(), c.options) == "");
        }
    }
    SECTION("launches")
    {
        for (std::uint64_t seed = 1; seed <= 300; ++seed) {
            Random random(seed);
            LaunchCase c = random_launch_case(random);
            c.options.mode.timed = true;
            c.options.machine.dispatch = seed % 4 == 0 ? Dispatch::dynamic : Dispatch::round_robin;
            INFO("seed " << seed << "\n" << describe(c));
            REQUIRE(difference(*make_trace_source(c.launch), c.options) == "");
        }
    }
}
