#include "base/error.hpp"
#include "tests/base/random.hpp"
#include "traces/access_walk.hpp"
#include "traces/formats/row_collector.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <vector>

using namespace texelscope;
using namespace texelscope::traces;
using texelscope::test::Random;

namespace {

const std::vector<Image> images{{"A", {16, 16}, Bytes{16}, AddressMode::border},
                                {"B", {8, 32}, Bytes{8}, AddressMode::edge}};

std::vector<TraceRow> random_rows(Random& random)
{
    std::vector<TraceRow> rows;
    std::set<std::tuple<std::int64_t, std::int32_t, std::uint32_t>> taken;
    const int count = random.small(0, 120);
    for (int i = 0; i < count; ++i) {
        TraceRow row{random.small(0, 3),
                     random.small(0, 9),
                     static_cast<std::uint32_t>(random.small(0, 6)),
                     static_cast<std::uint16_t>(random.small(0, 1)),
                     {random.small(-3, 40), random.small(-3, 40)}};
        row.group *= random.small(0, 1) == 0 ? 1 : 1'000'000'000'000;
        if (taken.emplace(row.group, row.item, row.step).second) {
            rows.push_back(row);
        }
    }
    return rows;
}

/// Rows as the source's streams give them.
std::vector<TraceRow> collected_rows(const TraceSource& source, int warp_size)
{
    std::vector<TraceRow> rows;
    AccessWalk walk(source, warp_size);
    while (walk.next()) {
        for (const LaneRead& read : walk.access().lanes) {
            rows.push_back(
                {walk.group(), walk.item(read), walk.access().step, read.image, read.texel});
        }
    }
    return rows;
}

} // namespace

TEST_CASE("rows that do not fit in memory make the trace of those that do")
{
    for (std::uint64_t seed = 1; seed <= 80; ++seed) {
        Random random(seed);
        std::vector<TraceRow> rows = random_rows(random);
        const auto held = static_cast<std::size_t>(random.small(1, 40));
        const int warp_size = random.pick(std::vector<int>{1, 2, 4, 16});
        INFO("seed " << seed << ", " << rows.size() << " rows, " << held << " of them in memory");
        RowCollector collector("rows", held);
        for (const TraceRow& row : rows) {
            collector.add(row);
        }
        const auto source = collector.take("kernel", images);
        CHECK(source->name() == "kernel");
        REQUIRE(std::vector<Image>(source->images().begin(), source->images().end()) == images);
        std::sort(rows.begin(), rows.end(), [&](const TraceRow& a, const TraceRow& b) {
            return std::tuple(a.group, a.item / warp_size, a.step, a.item) <
                   std::tuple(b.group, b.item / warp_size, b.step, b.item);
        });
        REQUIRE(collected_rows(*source, warp_size) == rows);
    }
}

TEST_CASE("a row that comes twice is refused by its line, in memory or not")
{
    for (const std::size_t held : {1U, 2U, 3U, 100U}) {
        CAPTURE(held);
        RowCollector collector("t.csv", held);
        collector.add({0, 1, 2, 0, {0, 0}}, 5);
        collector.add({0, 0, 2, 0, {0, 0}}, 6);
        collector.add({7, 0, 0, 0, {0, 0}}, 7);
        collector.add({0, 1, 2, 1, {3, 0}}, 8);
        CHECK_THROWS_WITH(collector.take("t", images),
                          Catch::Contains("t.csv:8") && Catch::Contains("the first is in line 5"));
    }
}
