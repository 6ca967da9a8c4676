// Heat maps of reuse and of a range of accesses, against a search through everything that happened
// before.

#include "sim/observers/heat_map_observer.hpp"
#include "tests/sim/random_case.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

using namespace texelscope::sim;
using namespace texelscope::test;

namespace {

constexpr std::array every_quantity{HeatQuantity::reads,      HeatQuantity::misses,
                                    HeatQuantity::compulsory, HeatQuantity::capacity,
                                    HeatQuantity::conflict,   HeatQuantity::evictions,
                                    HeatQuantity::reuses,     HeatQuantity::reuse_distances};

using SelectedCounts = std::map<std::tuple<int, HeatQuantity, Texel>, std::int64_t>;

/// Distinct other lines that the core looked up since it last looked up the line of lookup `at`;
/// -1: it never did.
std::int64_t slow_distance(const std::vector<LookupEvent>& lookups, std::size_t at)
{
    std::set<std::int64_t> others;
    for (std::size_t i = at; i-- > 0;) {
        if (lookups[i].core != lookups[at].core) {
            continue;
        }
        if (lookups[i].line == lookups[at].line) {
            return static_cast<std::int64_t>(others.size());
        }
        others.insert(lookups[i].line);
    }
    return -1;
}

SelectedCounts slow_counts(const Recorder& recorder, const AccessSelection& selection)
{
    SelectedCounts counts;
    for (const Recorder::Access& access : recorder.accesses) {
        for (const LaneRead& read : access.lanes) {
            counts[{read.image, HeatQuantity::reads, read.texel}] +=
                selection.steps.contains(access.step) &&
                        selection.accesses.contains(access.access_index)
                    ? 1
                    : 0;
        }
    }
    std::map<std::pair<int, std::int64_t>, std::pair<int, Texel>> brought_by;
    for (std::size_t i = 0; i < recorder.lookups.size(); ++i) {
        const LookupEvent& e = recorder.lookups[i];
        const bool counted = e.step >= selection.steps.begin && e.step < selection.steps.end &&
                             e.access_index >= selection.accesses.begin &&
                             e.access_index < selection.accesses.end;
        const std::int64_t distance = slow_distance(recorder.lookups, i);
        if (distance >= 0 && counted) {
            ++counts[{e.image, HeatQuantity::reuses, e.texel}];
            counts[{e.image, HeatQuantity::reuse_distances, e.texel}] += distance;
        }
        if (e.l1.hit()) {
            continue;
        }
        if (counted) {
            ++counts[{e.image, HeatQuantity::misses, e.texel}];
            counts[{e.image, HeatQuantity::compulsory, e.texel}] +=
                e.l1.miss == MissKind::compulsory ? 1 : 0;
            counts[{e.image, HeatQuantity::capacity, e.texel}] +=
                e.l1.miss == MissKind::capacity ? 1 : 0;
            counts[{e.image, HeatQuantity::conflict, e.texel}] +=
                e.l1.miss == MissKind::conflict ? 1 : 0;
        }
        if (e.l1.evicted) {
            const auto [image, texel] = brought_by.at({e.core, *e.l1.evicted});
            counts[{image, HeatQuantity::evictions, texel}] += counted ? 1 : 0;
            brought_by.erase({e.core, *e.l1.evicted});
        }
        brought_by.insert({{e.core, e.line}, {e.image, e.texel}});
    }
    return counts;
}

HalfOpenRange random_range(Random& random, std::int64_t most)
{
    if (random.one_in(3)) {
        return {};
    }
    const std::int64_t begin = random.between(0, most);
    return {begin, begin + random.between(1, most + 1)};
}

} // namespace

TEST_CASE("120 random cases: heat maps of a range of accesses, reuse included, agree with a search "
          "through the past")
{
    std::int64_t reuses = 0;
    std::int64_t left_out = 0;
    for (std::uint64_t seed = 1; seed <= 120; ++seed) {
        Random random(seed + 91'000);
        SimulationCase c = random_case(random);
        HeatRequest request{{every_quantity.begin(), every_quantity.end()}, {}};
        request.selection = {random_range(random, 12), random_range(random, 100)};
        HeatMapObserver heat(c.images, c.options, request);
        Recorder recorder;
        std::vector<SimulationObserver*> observers{&heat, &recorder};
        (void)simulate(*c.source(), c.options, observers);
        SelectedCounts counts = slow_counts(recorder, request.selection);
        INFO("seed " << seed << " steps " << request.selection.steps.begin << ":"
                     << request.selection.steps.end << " accesses "
                     << request.selection.accesses.begin << ":" << request.selection.accesses.end
                     << "\n"
                     << describe(c));
        for (int image = 0; image < static_cast<int>(c.images.size()); ++image) {
            const Extent2D extent = c.images[static_cast<std::size_t>(image)].extent;
            for (const HeatQuantity quantity : every_quantity) {
                for (std::int32_t y = 0; y < extent.height; ++y) {
                    for (std::int32_t x = 0; x < extent.width; ++x) {
                        const auto found = counts.find({image, quantity, {x, y}});
                        INFO(to_string(quantity)
                             << " of image " << image << " at " << x << "," << y);
                        REQUIRE(heat.map(image, quantity).at({x, y}) ==
                                (found == counts.end() ? 0 : found->second));
                    }
                }
            }
            reuses += heat.map(image, HeatQuantity::reuses).total();
        }
        left_out += static_cast<std::int64_t>(recorder.accesses.size()) - heat.selected();
    }
    CHECK(reuses > 1000); // guards the comparison against cases without any
    CHECK(left_out > 1000);
}

TEST_CASE("maps of ranges that follow each other add up to the map of all")
{
    Random random(17);
    const SimulationCase c = random_case(random);
    const auto maps_of = [&](const HalfOpenRange& accesses) {
        HeatMapObserver heat(c.images, c.options,
                             {{HeatQuantity::evictions, HeatQuantity::reads}, {{}, accesses}});
        std::vector<SimulationObserver*> observers{&heat};
        (void)simulate(*c.source(), c.options, observers);
        return heat.maps();
    };
    const HeatMaps all = maps_of({});
    const HeatMaps first = maps_of({0, 7});
    const HeatMaps rest = maps_of({7, 1 << 20});
    for (int image = 0; image < static_cast<int>(c.images.size()); ++image) {
        for (const HeatQuantity quantity : {HeatQuantity::evictions, HeatQuantity::reads}) {
            std::vector<std::int64_t> sum = first.map(image, quantity).counts;
            for (std::size_t i = 0; i < sum.size(); ++i) {
                sum[i] += rest.map(image, quantity).counts[i];
            }
            CHECK(sum == all.map(image, quantity).counts);
        }
    }
    CHECK_THROWS_AS(all.map(0, HeatQuantity::misses), std::out_of_range);
}

TEST_CASE("a mean of nothing is no number")
{
    const std::vector<double> quotients =
        means(std::vector<std::int64_t>{6, 0, 0}, std::vector<std::int64_t>{4, 2, 0});
    CHECK(quotients[0] == 1.5);
    CHECK(quotients[1] == 0);
    CHECK(std::isnan(quotients[2]));
}
