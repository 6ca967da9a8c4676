#include "base/random.hpp"
#include "model/bottleneck/working_set.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <list>
#include <vector>

using namespace texelscope::base;
using namespace texelscope::model;

namespace {

/// A cache of sets with least-recently-used replacement, as plainly as can be.
class PlainCache {
public:
    PlainCache(std::int64_t sets, std::size_t ways)
        : sets_(static_cast<std::size_t>(sets)), ways_(ways)
    {}
    bool look_up(std::int64_t line)
    {
        std::list<std::int64_t>& set = sets_[static_cast<std::size_t>(line) % sets_.size()];
        const auto found = std::find(set.begin(), set.end(), line);
        const bool hit = found != set.end();
        if (hit) {
            set.erase(found);
        }
        set.push_front(line);
        if (set.size() > ways_) {
            set.pop_back();
        }
        return hit;
    }

private:
    std::vector<std::list<std::int64_t>> sets_;
    std::size_t ways_;
};

} // namespace

TEST_CASE("Sums of sets are those of each with each", "[bottleneck]")
{
    std::mt19937_64 random(1);
    for (int trial = 0; trial < 200; ++trial) {
        const auto sets = static_cast<std::int64_t>(2 + uniform_below(random, 255));
        const CacheSets cache(
            CacheGeometry{.capacity = Bytes{sets * 2 * 64}, .line = Bytes{64}, .ways = 2});
        REQUIRE(cache.bits == sets);
        SetCover a;
        SetCover b;
        SetCover expected;
        std::vector<std::size_t> of_a;
        for (std::uint64_t i = 0; i <= uniform_below(random, 9); ++i) {
            of_a.push_back(uniform_below(random, static_cast<std::uint64_t>(sets)));
            a.set(of_a.back());
        }
        for (std::uint64_t i = 0; i <= uniform_below(random, 9); ++i) {
            const std::size_t one = uniform_below(random, static_cast<std::uint64_t>(sets));
            b.set(one);
            for (const std::size_t other : of_a) {
                expected.set((one + other) % static_cast<std::size_t>(sets));
            }
        }
        CHECK(cache.sums(a, b) == expected);
    }
}

TEST_CASE("Lines are kept where a plain cache keeps them", "[bottleneck]")
{
    // Work-items and the reads of each lie in lines by steps; two rounds, one after the other,
    // through a plain cache.
    std::mt19937_64 random(2);
    int kept = 0;
    int lost = 0;
    for (int trial = 0; trial < 400; ++trial) {
        const std::int64_t sets = std::int64_t{1} << uniform_below(random, 7);
        const auto ways = static_cast<int>(1 + uniform_below(random, 8));
        const CacheGeometry geometry{
            .capacity = Bytes{sets * ways * 64}, .line = Bytes{64}, .ways = ways};
        const CacheSets cache(geometry);
        const std::int64_t items = std::int64_t{1} << uniform_below(random, 5);
        const std::int64_t reads = std::int64_t{1} << uniform_below(random, 4);
        const std::int64_t item_step = std::int64_t{1} << uniform_below(random, 8);
        const std::int64_t read_step = items * item_step; // no line twice
        LineSpread spread;
        std::vector<double>& lines = spread.along[0].lines;
        for (std::int64_t i = 0; i < items; ++i) {
            lines.push_back(static_cast<double>(i + 1));
            spread.along[0].bits.push_back(cache.bit_of(i * item_step));
            spread.along[0].across.push_back(0);
            spread.along[0].down.push_back(0);
        }
        LineWindow window;
        std::vector<std::int64_t> load(static_cast<std::size_t>(sets), 0);
        for (std::int64_t r = 0; r < reads; ++r) {
            window.lines += 1;
            window.sets.set(static_cast<std::size_t>(cache.bit_of(r * read_step)));
            for (std::int64_t i = 0; i < items; ++i) {
                ++load[static_cast<std::size_t>((r * read_step + i * item_step) % sets)];
            }
        }
        std::erase(load, 0);
        const auto [least, most] = std::ranges::minmax(load);
        if (least != most || most == ways) {
            continue; // between all and nothing
        }
        PlainCache plain(sets, static_cast<std::size_t>(ways));
        std::int64_t hits = 0;
        for (int round = 0; round < 2; ++round) {
            for (std::int64_t r = 0; r < reads; ++r) {
                for (std::int64_t i = 0; i < items; ++i) {
                    hits += plain.look_up(r * read_step + i * item_step) ? 1 : 0;
                }
            }
        }
        const WorkingSet set = working_set(spread, {items, 1, 1}, cache);
        const LineSpread* const spreads[] = {&spread};
        CAPTURE(sets, ways, items, reads, item_step);
        CHECK(share_kept(0, {&window, 1}, {&set, 1}, spreads, cache) ==
              static_cast<double>(hits) / static_cast<double>(items * reads));
        (hits > 0 ? kept : lost) += 1;
    }
    CHECK(kept > 50);
    CHECK(lost > 50);
}

TEST_CASE("Boxes of texels have no more lines than their rows and columns", "[bottleneck]")
{
    LineSpread spread;
    spread.of_run[0] = {1, 1, 2, 2}; // lines of 2x1 texels
    spread.of_run[1] = {1, 2, 3, 4};
    CHECK(spread.of_box(0, 0) == 1);
    CHECK(spread.of_box(3, 1) == 4);
    CHECK(spread.of_box(7, 0) == 4); // beyond the table
}
