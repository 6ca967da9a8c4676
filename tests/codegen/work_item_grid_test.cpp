#include "base/error.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "codegen/nest/work_item_grid.hpp"
#include "tests/codegen/random_schedule.hpp"

#include <catch2/catch.hpp>

#include <map>
#include <set>

using namespace texelscope;
using namespace texelscope::codegen;

namespace {

/// The number of the tile along an axis, guarded or not: a guarded one may be known to be 0.
IndexExpr tile_number(const WorkItemGrid& grid, int axis)
{
    for (const LoopNest::Named& named : grid.names) {
        if (named.variable.slot == LoopNest::first_named_slot + axis) {
            return named.definition;
        }
    }
    return grid.tile[static_cast<std::size_t>(axis)];
}

IndexExpr spelled_out(IndexExpr e, const WorkItemGrid& grid)
{
    for (auto named = grid.names.rbegin(); named != grid.names.rend(); ++named) {
        e = e.substitute(named->variable.slot, named->definition);
    }
    return e;
}

} // namespace

TEST_CASE("Every output tile belongs to exactly one work-item, and a block of consecutive numbers "
          "is a wx x wy rectangle")
{
    test::Random random(11);
    for (int i = 0; i < 60; ++i) {
        const Schedule schedule = test::random_matmul_schedule(random, 128);
        const std::array<std::int64_t, 3> tiles{random.between(1, 30), random.between(1, 30), 1};
        CAPTURE(to_string(schedule), tiles[0], tiles[1]);
        const WorkItemGrid grid = work_item_grid(schedule, tiles);
        const IndexExpr x = tile_number(grid, 0);
        const IndexExpr y = tile_number(grid, 1);
        const auto [bx, by, bz] = schedule.group;
        const int block = schedule.warp[0] * schedule.warp[1];
        std::map<std::pair<std::int64_t, std::int64_t>, int> owners;
        for (std::int64_t gy = 0; gy < grid.groups[1]; ++gy) {
            for (std::int64_t gx = 0; gx < grid.groups[0]; ++gx) {
                std::map<std::int64_t, std::set<std::pair<std::int64_t, std::int64_t>>> blocks;
                for (int number = 0; number < bx * by * bz; ++number) {
                    const std::vector<std::int64_t> ids{
                        number % bx, number / bx % by, number / (bx * by), gx, gy, 0};
                    const std::pair at{x.evaluate(ids), y.evaluate(ids)};
                    if (number < bx * by) {
                        blocks[number / block].insert(at);
                    }
                    bool runs = true;
                    for (const Guard& guard : grid.guards) {
                        runs = runs && spelled_out(guard.value, grid).evaluate(ids) < guard.bound;
                    }
                    owners[at] += runs ? 1 : 0;
                }
                for (const auto& [number, places] : blocks) {
                    const auto first = *places.begin();
                    REQUIRE(places.size() == static_cast<std::size_t>(block));
                    for (const auto& [px, py] : places) {
                        CHECK(px >= first.first);
                        CHECK(px < first.first + schedule.warp[0]);
                        CHECK(py >= first.second);
                        CHECK(py < first.second + schedule.warp[1]);
                    }
                }
            }
        }
        for (std::int64_t ty = 0; ty < tiles[1]; ++ty) {
            for (std::int64_t tx = 0; tx < tiles[0]; ++tx) {
                CHECK(owners[{tx, ty}] == 1);
            }
        }
        for (const auto& [at, count] : owners) {
            CHECK(count == (at.first < tiles[0] && at.second < tiles[1] ? 1 : 0));
        }
    }
}

TEST_CASE("The natural warp shape leaves no trace in the index expressions")
{
    const WorkItemGrid grid =
        work_item_grid(parse_schedule("A=row,row;T=4x4;W=8x4;G=8x16"), {64, 64, 1});
    CHECK(spelled_out(grid.tile[0], grid).to_opencl() == "lx + 8 * gx");
    CHECK(spelled_out(grid.tile[1], grid).to_opencl() == "ly + 16 * gy");
}

TEST_CASE("A warp shape that does not tile the work-group is refused")
{
    CHECK_THROWS_AS(work_item_grid(parse_schedule("A=row,row;T=4x4;W=8x8;G=12x8"), {4, 4, 1}),
                    Error);
    CHECK_THROWS_AS(work_item_grid(parse_schedule("A=row,row;T=4x4;W=8x8;G=8x4"), {4, 4, 1}),
                    Error);
}
