#include "base/error.hpp"
#include "sim/observers/texel_touches.hpp"
#include "tests/sim/random_case.hpp"

#include <catch2/catch.hpp>

#include <map>

using namespace texelscope::sim;
using namespace texelscope::test;

TEST_CASE("200 random cases: the touches of a texel are the accesses that read it, with what their "
          "lookups met")
{
    std::int64_t found = 0;
    std::int64_t evicted = 0;
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        Random random(seed + 33'000);
        const SimulationCase c = random_case(random);
        const auto image =
            static_cast<std::uint16_t>(random.small(0, static_cast<int>(c.images.size()) - 1));
        const Extent2D extent = c.images[image].extent;
        const Texel texel{random.small(0, std::min(extent.width - 1, 6)),
                          random.small(0, std::min(extent.height - 1, 6))};
        const bool whole_line = random.one_in(2);
        const AccessSelection selection{random.one_in(2) ? HalfOpenRange{1, 4} : HalfOpenRange{},
                                        random.one_in(4) ? HalfOpenRange{5, 60} : HalfOpenRange{}};
        const auto limit = static_cast<std::size_t>(random.one_in(3) ? random.small(0, 3) : 10'000);
        TexelTouchObserver touches(c.images, c.options, {image, texel}, whole_line, selection,
                                   limit);
        Recorder recorder;
        std::vector<SimulationObserver*> observers{&recorder, &touches};
        (void)simulate(*c.source(), c.options, observers);
        INFO("seed " << seed << " image " << image << " texel " << texel.x << "," << texel.y << "\n"
                     << describe(c));

        const StoredImage stored = store_images(c.images, c.options)[image];
        const std::int64_t line = c.options.machine.l1().geometry.line.value;
        const std::int64_t granule = c.options.machine.l1().geometry.granule().value;
        std::map<std::pair<int, std::int64_t>, std::pair<int, Texel>> brought_by;
        std::int64_t count = 0;
        for (std::size_t a = 0; a < recorder.accesses.size(); ++a) {
            const Recorder::Access& access = recorder.accesses[a];
            std::vector<LaneRead> lanes;
            for (const LaneRead& read : access.lanes) {
                if (read.image != image) {
                    continue;
                }
                if (whole_line ? stored.address(read.texel) / line == stored.address(texel) / line
                               : read.texel == texel) {
                    lanes.push_back(read);
                }
            }
            const bool counts = !lanes.empty() && access.step >= selection.steps.begin &&
                                access.step < selection.steps.end &&
                                access.access_index >= selection.accesses.begin &&
                                access.access_index < selection.accesses.end;
            const TexelTouch* touch = nullptr;
            if (counts && static_cast<std::size_t>(count) < limit) {
                touch = &touches.touches().at(static_cast<std::size_t>(count));
                REQUIRE(touch->core == access.core);
                REQUIRE(touch->group == access.group);
                REQUIRE(touch->warp == access.warp);
                REQUIRE(touch->step == access.step);
                REQUIRE(touch->access_index == access.access_index);
                REQUIRE(touch->lanes.size() == lanes.size());
                for (std::size_t i = 0; i < lanes.size(); ++i) {
                    REQUIRE(touch->lanes[i].lane == lanes[i].lane);
                    REQUIRE(touch->lanes[i].texel == lanes[i].texel);
                }
            }
            count += counts ? 1 : 0;
            std::size_t seen = 0;
            const std::size_t end = a + 1 < recorder.accesses.size()
                                        ? recorder.accesses[a + 1].lookups_before
                                        : recorder.lookups.size();
            for (std::size_t i = access.lookups_before; i < end; ++i) {
                const LookupEvent& event = recorder.lookups[i];
                std::optional<ImageTexel> thrown_out;
                if (!event.l1.hit()) {
                    if (event.l1.evicted) {
                        const auto [from, at] = brought_by.at({event.core, *event.l1.evicted});
                        thrown_out = ImageTexel{static_cast<std::uint16_t>(from), at};
                        brought_by.erase({event.core, *event.l1.evicted});
                    }
                    brought_by.insert({{event.core, event.line}, {event.image, event.texel}});
                }
                bool needed = false;
                for (const LaneRead& read : lanes) {
                    const std::int64_t first = stored.address(read.texel);
                    needed = needed || (event.address + granule > first &&
                                        event.address < first + stored.bytes_per_texel);
                }
                if (touch != nullptr && needed) {
                    const TexelTouch::Lookup& got = touch->lookups.at(seen++);
                    REQUIRE(got.address == event.address);
                    REQUIRE(got.l1.miss == event.l1.miss);
                    REQUIRE(got.l1.evicted == event.l1.evicted);
                    REQUIRE(got.behind.size() == event.behind.size());
                    REQUIRE(
                        (got.behind.empty() || got.behind.back().miss == event.behind.back().miss));
                    REQUIRE(got.evicted_from == thrown_out);
                    evicted += thrown_out ? 1 : 0;
                }
            }
            REQUIRE((touch == nullptr || touch->lookups.size() == seen));
        }
        REQUIRE(touches.count() == count);
        REQUIRE(touches.touches().size() ==
                std::min<std::size_t>(limit, static_cast<std::size_t>(count)));
        found += count;
    }
    CHECK(found > 300); // guards the comparison against texels that nobody reads
    CHECK(evicted > 50);
}

TEST_CASE("a texel outside of its image has no touches")
{
    const std::vector<Image> images{{"A", {4, 4}, Bytes{16}}};
    CHECK_THROWS_AS(TexelTouchObserver(images, {}, {0, {4, 0}}, false, {}, 1), Error);
    CHECK_THROWS_AS(TexelTouchObserver(images, {}, {0, {0, -1}}, false, {}, 1), Error);
}
