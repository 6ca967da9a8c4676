#include "devices/targets/simulated_target.hpp"

#include <catch2/catch.hpp>

using namespace texelscope::devices;

TEST_CASE(
    "A walk on a simulated device starts with an empty cache, and its misses end in the next level")
{
    const DeviceProfile profile = find_profile("adreno-640");
    const Timing& timing = profile.simulation.machine.timing;
    SimulatedTarget target(profile, 0, 1);
    const auto ns = [&](double cycles) { return cycles * 1000 / timing.clock_mhz; };
    const double hit = ns(static_cast<double>(profile.simulation.machine.l1().latency.value));
    const double miss = ns(static_cast<double>(profile.simulation.machine.l2().latency.value));

    // One miss of ten reads, whatever was measured before; then a miss each.
    const Walk same{{256, 256}, std::vector<Texel>(10, {7, 9})};
    for (int round = 0; round < 2; ++round) {
        const std::vector<double> found = target.walk(same, 3);
        REQUIRE(found.size() == 3);
        CHECK(found[0] == Approx((miss + 9 * hit) / 10).epsilon(0.01));
    }
    Walk apart{{256, 256}, {}};
    for (int i = 0; i < 30; ++i) {
        apart.texels.push_back({8 * i, 8 * i});
    }
    CHECK(target.walk(apart, 1)[0] == Approx(miss).epsilon(0.01));
}
