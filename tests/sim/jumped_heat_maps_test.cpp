// Heat maps of a simulation that jumps, against those of one that looks at every access.

#include "sim/observers/heat_map_observer.hpp"
#include "sim/repetition/repeated_counts.hpp"
#include "sim/simulate.hpp"
#include "tests/sim/random_launch.hpp"
#include "tests/sim/result_difference.hpp"
#include "traces/launch_source.hpp"

#include <catch2/catch.hpp>

#include <map>

using namespace texelscope::sim;
using namespace texelscope::test;

namespace {

/// Where two maps differ first; empty where they do not.
std::string difference(const HeatMaps& want, const HeatMaps& got, const Launch& launch,
                       const HeatRequest& request)
{
    for (int image = 0; image < static_cast<int>(launch.images.size()); ++image) {
        for (const HeatQuantity quantity : request.quantities) {
            const HeatMap& a = want.map(image, quantity);
            const HeatMap& b = got.map(image, quantity);
            for (std::size_t i = 0; i < a.counts.size(); ++i) {
                if (a.counts[i] != b.counts[i]) {
                    const auto width = static_cast<std::size_t>(a.extent.width);
                    return to_string(quantity) + " of image " + std::to_string(image) + " at " +
                           std::to_string(i % width) + "," + std::to_string(i / width) + ": " +
                           std::to_string(b.counts[i]) + " instead of " +
                           std::to_string(a.counts[i]) + "\n";
                }
            }
        }
    }
    return {};
}

} // namespace

TEST_CASE(
    "1500 random launches: the heat maps are those of the simulation that looks at every access")
{
    int jumped = 0;
    int behind_l2 = 0;
    int several_cores = 0;
    int failures = 0;
    for (std::uint64_t seed = 1; seed <= 1500 && failures < 3; ++seed) {
        Random random(seed + 200'000);
        const LaunchCase c = random_launch_case(random);
        HeatRequest request;
        if (random.one_in(3)) {
            request.quantities = {random.pick(
                std::vector<HeatQuantity>(all_heat_quantities.begin(), all_heat_quantities.end()))};
        }
        const auto source = make_trace_source(c.launch);
        HeatMapObserver heat(c.launch.images, c.options, request);
        SimulationObserver* observer = &heat;
        const SimulationResult watched = simulate(*source, c.options, {&observer, 1});
        const HeatMapResult got = heat_maps(*source, c.options, request);
        const std::string text = result_difference(watched, got.simulation) +
                                 difference(heat.maps(), got.maps, c.launch, request);
        if (got.simulation.simulated_steps < got.simulation.steps) {
            ++jumped;
            behind_l2 += c.options.machine.has_l2() ? 1 : 0;
            several_cores += c.options.machine.cores > 1 ? 1 : 0;
        }
        if (!text.empty()) {
            ++failures;
            UNSCOPED_INFO("seed " << seed << "\n" << text << describe(c));
            CHECK(failures == 0);
        }
    }
    // Guards the comparison against cases that never jump.
    INFO(jumped << " of 1500 jumped, " << behind_l2 << " with an L2, " << several_cores
                << " on several cores");
    CHECK(jumped > 200);
    CHECK(behind_l2 > 40);
    CHECK(several_cores > 40);
}

TEST_CASE("counts of repetitions inside of each other, against adding them one by one")
{
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        Random random(seed);
        const Extent2D extent{random.small(1, 30), random.small(1, 30)};
        RepeatedCounts counts(extent);
        std::map<Texel, std::int64_t> expected;
        for (int event = 0; event < 12; ++event) {
            std::vector<Repetition> repetitions;
            std::vector<Texel> where{
                {random.small(0, extent.width - 1), random.small(0, extent.height - 1)}};
            const Texel start = where.front();
            for (int depth = random.small(0, 3); depth > 0; --depth) {
                const Repetition repetition{{random.small(-4, 4), random.small(-4, 4)},
                                            random.small(1, 5)};
                std::vector<Texel> all;
                bool fits = true;
                for (const Texel t : where) {
                    for (std::int32_t k = 1; k <= repetition.times; ++k) {
                        all.push_back({t.x + k * repetition.step.x, t.y + k * repetition.step.y});
                        fits = fits && extent.contains(all.back());
                    }
                }
                if (fits) {
                    repetitions.push_back(repetition);
                    where = all;
                }
            }
            const std::int64_t amount = random.between(1, 9);
            counts.place(repetitions).add(1, start, amount);
            for (const Texel t : where) {
                expected[t] += amount;
            }
            if (random.one_in(6)) {
                counts.collect();
                CHECK(counts.held() == 0);
            }
        }
        counts.collect();
        INFO("seed " << seed);
        const std::vector<std::int64_t> got = counts.counts(1);
        REQUIRE(got.size() == static_cast<std::size_t>(extent.area()));
        for (std::int32_t y = 0; y < extent.height; ++y) {
            for (std::int32_t x = 0; x < extent.width; ++x) {
                REQUIRE(got[static_cast<std::size_t>(y * extent.width + x)] ==
                        expected[Texel{x, y}]);
            }
        }
        CHECK(counts.counts(0) == std::vector<std::int64_t>(got.size(), 0));
    }
}
