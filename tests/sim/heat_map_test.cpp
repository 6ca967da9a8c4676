#include "base/error.hpp"
#include "sim/observers/heat_map_observer.hpp"
#include "tests/sim/oracle.hpp"
#include "tests/sim/random_case.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <tuple>

using namespace texelscope::sim;
using namespace texelscope::test;

namespace {

const std::vector<HeatQuantity> all_quantities{HeatQuantity::reads,      HeatQuantity::misses,
                                               HeatQuantity::compulsory, HeatQuantity::capacity,
                                               HeatQuantity::conflict,   HeatQuantity::evictions};

using Counts = std::map<std::tuple<int, HeatQuantity, Texel>, std::int64_t>;

/// Heat maps from the rows and from the events of the plain simulator.
Counts slow_counts(const SimulationCase& c)
{
    Counts counts;
    for (const TraceRow& row : c.rows) {
        const Image& image = c.images[row.image];
        Texel t = row.texel;
        if (image.address_mode == AddressMode::edge) {
            t = {std::clamp(t.x, 0, image.extent.width - 1),
                 std::clamp(t.y, 0, image.extent.height - 1)};
        }
        if (image.extent.contains(t)) {
            ++counts[{row.image, HeatQuantity::reads, t}];
        }
    }
    std::map<std::pair<int, std::int64_t>, std::pair<int, Texel>> brought_by; // by core and line
    for (const OracleEvent& e : oracle_simulate(c.images, c.rows, c.options).events) {
        if (e.l1.hit()) {
            continue;
        }
        ++counts[{e.image, HeatQuantity::misses, e.texel}];
        const HeatQuantity kind = e.l1.miss == MissKind::compulsory ? HeatQuantity::compulsory
                                  : e.l1.miss == MissKind::capacity ? HeatQuantity::capacity
                                                                    : HeatQuantity::conflict;
        ++counts[{e.image, kind, e.texel}];
        if (e.l1.evicted) {
            const auto [image, texel] = brought_by.at({e.core, *e.l1.evicted});
            ++counts[{image, HeatQuantity::evictions, texel}];
            brought_by.erase({e.core, *e.l1.evicted});
        }
        // a further sector leaves the first texel there
        brought_by.insert({{e.core, e.line}, {e.image, e.texel}});
    }
    return counts;
}

} // namespace

TEST_CASE("heat maps of random cases agree with counting texel by texel, and their sums with the "
          "counters")
{
    for (std::uint64_t seed = 1; seed <= 150; ++seed) {
        Random random(seed + 7000);
        const SimulationCase c = random_case(random);
        HeatMapObserver heat(c.images, c.options);
        std::vector<SimulationObserver*> observers{&heat};
        const SimulationResult result = simulate(*c.source(), c.options, observers);
        Counts counts = slow_counts(c);
        std::map<HeatQuantity, std::int64_t> totals;
        INFO("seed " << seed << "\n" << describe(c));
        for (int image = 0; image < static_cast<int>(c.images.size()); ++image) {
            for (const HeatQuantity quantity : all_quantities) {
                const HeatMap& map = heat.map(image, quantity);
                const Extent2D extent = c.images[static_cast<std::size_t>(image)].extent;
                REQUIRE(map.extent == extent);
                REQUIRE(map.counts.size() == static_cast<std::size_t>(extent.area()));
                std::int64_t total = 0;
                std::int64_t most = 0;
                for (std::int32_t y = 0; y < extent.height; ++y) {
                    for (std::int32_t x = 0; x < extent.width; ++x) {
                        const auto found = counts.find({image, quantity, {x, y}});
                        const std::int64_t expected = found == counts.end() ? 0 : found->second;
                        INFO(to_string(quantity)
                             << " of image " << image << " at " << x << "," << y);
                        REQUIRE(map.at({x, y}) == expected);
                        total += expected;
                        most = std::max(most, expected);
                    }
                }
                REQUIRE(map.total() == total);
                REQUIRE(map.max() == most);
                totals[quantity] += total;
            }
        }
        REQUIRE(totals[HeatQuantity::reads] == result.l1.texel_reads);
        REQUIRE(totals[HeatQuantity::misses] == result.l1.misses());
        REQUIRE(totals[HeatQuantity::compulsory] == result.l1.compulsory);
        REQUIRE(totals[HeatQuantity::capacity] == result.l1.capacity);
        REQUIRE(totals[HeatQuantity::conflict] == result.l1.conflict);
        REQUIRE(totals[HeatQuantity::evictions] == result.l1.evictions);
    }
}

TEST_CASE("heat quantities parse and print")
{
    for (const HeatQuantity quantity : all_quantities) {
        CHECK(parse_heat_quantity(to_string(quantity)) == quantity);
    }
    CHECK(to_string(HeatQuantity::evictions) == "evictions");
    CHECK_THROWS_AS(parse_heat_quantity("warmth"), Error);
    CHECK_THROWS_AS(parse_heat_quantity(""), Error);
}
