// A timed simulation as a timeline: its slices and counters, read by a slow decoder.

#include "codegen/nest/loop_nest.hpp"
#include "sim/simulate.hpp"
#include "tests/workbench/plots/read_perfetto.hpp"
#include "traces/launch_source.hpp"
#include "workbench/plots/simulation_timeline.hpp"
#include "workbench/study/study.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <variant>

using namespace texelscope;
using namespace texelscope::workbench::plots;
using namespace texelscope::workbench::study;
using test::ReadEvent;
using test::ReadTrack;

TEST_CASE("A timeline has every warp and every access of a timed simulation")
{
    const DeviceProfile device = find_profile("mali-g77");
    const Operator op = parse_operator("matmul", "48,40,24");
    const Launch launch = launch_of(loop_nest(op, op.default_schedule));
    SimulationOptions options = device.simulation;
    options.mode.timed = true;
    const auto source = make_trace_source(launch);
    SimulationTimeline timeline(options);
    const SimulationResult result = simulate_in_time(*source, options, timeline);
    const double ns_per_cycle = 1000.0 / options.machine.timing.clock_mhz;
    std::int64_t warps = 0, in_units = 0, in_warps = 0, lookups = 0, misses = 0;
    double most_resident = 0;
    std::int64_t last = 0;
    for (const ReadTrack& track : test::read_perfetto(timeline.bytes("a kernel"))) {
        CHECK(track.path.starts_with("a kernel"));
        if (track.path.ends_with("/texture unit")) {
            std::int64_t end = 0;
            for (const ReadEvent& each : track.events) {
                CHECK(each.from >= end);
                end = each.to;
                ++in_units;
                lookups += std::get<std::int64_t>(each.annotations.at("lookups"));
                misses += std::get<std::int64_t>(each.annotations.at("misses"));
                CHECK(std::get<double>(each.annotations.at("data after ns")) >=
                      static_cast<double>(options.machine.l1().latency.value) * ns_per_cycle *
                          0.999);
            }
        } else if (track.path.find("/warp slot ") != std::string::npos) {
            const ReadEvent* warp = nullptr;
            for (const ReadEvent& each : track.events) {
                last = std::max(last, each.to);
                if (each.name == "access") {
                    REQUIRE(warp != nullptr);
                    CHECK((warp->from <= each.from && each.to <= warp->to));
                    ++in_warps;
                } else {
                    CHECK((warp == nullptr || warp->to <= each.from));
                    warp = &each;
                    ++warps;
                }
            }
        } else if (track.path.ends_with("/resident warps")) {
            CHECK(track.counter);
            REQUIRE_FALSE(track.events.empty());
            CHECK(track.events.back().value == 0);
            for (const ReadEvent& each : track.events) {
                most_resident = std::max(most_resident, each.value);
            }
        } else if (track.path.ends_with("/L1 hits")) {
            CHECK(track.unit == "%");
            CHECK(std::ranges::all_of(track.events, [](const ReadEvent& each) {
                return each.value >= 0 && each.value <= 100;
            }));
        }
    }
    CHECK(warps == result.warps);
    CHECK(in_units == result.steps);
    CHECK(in_warps == result.steps);
    CHECK(lookups == result.l1.lookups);
    CHECK(misses == result.l1.misses());
    CHECK(most_resident <= result.occupancy.warps);
    CHECK(static_cast<double>(last) <=
          std::ceil(static_cast<double>(result.cycles->value) * ns_per_cycle));

    SimulationTimeline small(options, 10);
    CHECK_THROWS_WITH(simulate_in_time(*source, options, small),
                      Catch::Contains("room for 10 warp accesses"));
}
