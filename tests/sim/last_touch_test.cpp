#include "sim/last_touch.hpp"
#include "sim/options/options.hpp"
#include "tests/sim/random_case.hpp"

#include <catch2/catch.hpp>

#include <map>
#include <tuple>

using namespace texelscope::sim;
using namespace texelscope::test;

TEST_CASE(
    "100 random cases: the last touch of every texel is the last recorded access with a lane on it")
{
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
        Random random(seed + 77'000);
        SimulationCase c = random_case(random);
        c.options.mode.timed = false;
        Recorder recorder;
        std::vector<SimulationObserver*> observers{&recorder};
        (void)simulate(*c.source(), c.options, observers);
        std::map<std::tuple<int, std::int32_t, std::int32_t>, const Recorder::Access*> last;
        for (const Recorder::Access& access : recorder.accesses) {
            for (const LaneRead& read : access.lanes) {
                last[{read.image, read.texel.x, read.texel.y}] = &access;
            }
        }
        const LastTouches touches = last_touches(*c.source(), c.options);
        INFO("seed " << seed << "\n" << describe(c));
        REQUIRE(touches.warps.size() == c.images.size());
        for (std::size_t image = 0; image < c.images.size(); ++image) {
            const Extent2D extent = c.images[image].extent;
            REQUIRE(touches.warps[image].extent == extent);
            for (std::int32_t y = 0; y < extent.height; ++y) {
                for (std::int32_t x = 0; x < extent.width; ++x) {
                    const auto found = last.find({static_cast<int>(image), x, y});
                    const std::int64_t code = touches.warps[image].at({x, y});
                    if (found == last.end()) {
                        REQUIRE(code == 0);
                    } else {
                        REQUIRE(WarpNumber::of(code) ==
                                WarpNumber{found->second->group, found->second->warp});
                        REQUIRE(touches.accesses[image].at({x, y}) == found->second->access_index);
                    }
                }
            }
        }
    }
}
