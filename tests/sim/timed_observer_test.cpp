// What an observer of the timed mode is told adds up to what the simulation counts.

#include "sim/options/options.hpp"
#include "tests/sim/result_difference.hpp"
#include "tests/sim/timed_case.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

using namespace texelscope::sim;
using namespace texelscope::test;

namespace {

/// Keeps all, and checks the order of the calls.
struct TimedRecorder : TimedObserver {
    struct Life {
        double from = 0;
        double to = -1;
        std::int64_t accesses = 0;
    };
    std::map<std::pair<int, std::size_t>, std::vector<Life>> slots;
    std::map<int, std::vector<ServedAccess>> accesses;
    std::map<int, std::vector<std::pair<double, int>>> changes; ///< of the misses under way

    void on_warp_begin(int core, std::size_t slot, std::int64_t, std::int32_t, double at) override
    {
        auto& lives = slots[{core, slot}];
        CHECK((lives.empty() || (lives.back().to >= 0 && lives.back().to <= at)));
        lives.push_back({at});
    }
    void on_access(const ServedAccess& access) override
    {
        Life& life = slots.at({access.core, access.slot}).back();
        CHECK(life.to < 0);
        CHECK(life.from <= access.from);
        ++life.accesses;
        auto& of_core = accesses[access.core];
        CHECK((of_core.empty() || of_core.back().to <= access.from));
        CHECK(access.from <= access.to);
        CHECK(std::ssize(access.fills) <= access.lookups);
        for (const auto& fill : access.fills) {
            CHECK((access.from <= fill.from && fill.from <= access.to && fill.from <= fill.to));
            changes[access.core].emplace_back(fill.from, 1);
            changes[access.core].emplace_back(fill.to, -1);
        }
        of_core.push_back(access);
    }
    void on_warp_end(int core, std::size_t slot, double at) override
    {
        Life& life = slots.at({core, slot}).back();
        CHECK(life.to < 0);
        life.to = at;
    }
};

} // namespace

TEST_CASE(
    "an observer of the timed mode is told all warps, accesses and misses, and changes nothing")
{
    for (std::uint64_t seed = 1; seed <= 120; ++seed) {
        const SimulationCase c = timed_case(seed + 500);
        INFO("seed " << seed << "\n" << describe(c));
        TimedRecorder told;
        const SimulationResult seen = simulate_in_time(*c.source(), c.options, told);
        REQUIRE(result_difference(simulate(*c.source(), c.options), seen).empty());
        std::int64_t warps = 0, accesses = 0;
        std::vector<double> residence(seen.cores.size(), 0.0);
        for (const auto& [place, lives] : told.slots) {
            for (const auto& life : lives) {
                CHECK(life.to >= life.from);
                residence[static_cast<std::size_t>(place.first)] +=
                    std::ceil(life.to) - std::ceil(life.from);
                accesses += life.accesses;
                ++warps;
            }
        }
        CHECK(warps == seen.warps);
        CHECK(accesses == seen.steps);
        for (std::size_t core = 0; core < seen.cores.size(); ++core) {
            const CoreResult& result = seen.cores[core];
            CHECK(residence[core] == static_cast<double>(result.occupancy_over_time.warp_cycles));
            std::int64_t lookups = 0, misses = 0;
            for (const ServedAccess& access : told.accesses[static_cast<int>(core)]) {
                lookups += access.lookups;
            }
            auto& changes = told.changes[static_cast<int>(core)];
            std::ranges::sort(changes); // of one time, those that arrive first
            std::int64_t under_way = 0;
            for (const auto& [at, change] : changes) {
                under_way += change;
                misses += change > 0 ? 1 : 0;
                CHECK(under_way <= c.options.machine.timing.outstanding_misses);
            }
            CHECK(under_way == 0);
            CHECK(lookups == result.l1.lookups);
            CHECK(misses == result.l1.misses());
        }
    }
}
