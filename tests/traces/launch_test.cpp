#include "tests/traces/random_launch.hpp"
#include "traces/launch.hpp"

#include <catch2/catch.hpp>

using namespace texelscope::traces;
using namespace texelscope::test;

TEST_CASE("work-item variables are in slot order and range over the geometry")
{
    const auto v = work_item_variables({5, 6, 7}, {2, 3, 4});
    const std::vector<std::string> names{"lx", "ly", "lz", "gx", "gy", "gz"};
    const std::vector<std::int64_t> extents{2, 3, 4, 5, 6, 7};
    for (std::size_t i = 0; i < 6; ++i) {
        CHECK(v[i].slot == static_cast<int>(i));
        CHECK(v[i].name == names[i]);
        CHECK(v[i].range == Range{0, extents[i] - 1});
    }
}

TEST_CASE("reads of a work-item come in program order")
{
    // for k < 2 { read A(k, lx); for m < 3 read B(m, 10*k) }; read A(gx, -1)
    const auto ids = work_item_variables({4, 1, 1}, {8, 1, 1});
    const Variable k{6, "k", {0, 1}};
    const Variable m{7, "m", {0, 2}};
    Launch launch;
    launch.images = {{"A", {8, 8}}, {"B", {8, 8}}};
    launch.groups = {4, 1, 1};
    launch.local = {8, 1, 1};
    const Loop inner{m, {AccessFunction{1, IndexExpr(m), IndexExpr(k) * 10}}};
    launch.body = {Loop{k, {AccessFunction{0, IndexExpr(k), IndexExpr(ids[0])}, inner}},
                   AccessFunction{0, IndexExpr(ids[3]), IndexExpr(-1)}};
    CHECK(reads_per_item(launch.body) == 9);
    CHECK(launch.group_count() == 4);
    CHECK(launch.group_size() == 8);
    const std::vector<ItemRead> expected{{0, {0, 5}},  {1, {0, 0}},  {1, {1, 0}},
                                         {1, {2, 0}},  {0, {1, 5}},  {1, {0, 10}},
                                         {1, {1, 10}}, {1, {2, 10}}, {0, {3, -1}}};
    CHECK(item_reads(launch, {3, 0, 0}, {5, 0, 0}) == expected);
}

TEST_CASE("reads of random launches agree with nested loops written as plain functions")
{
    for (std::uint64_t seed = 1; seed <= 150; ++seed) {
        Random random(seed);
        const TwinLaunch twin = random_launch(random);
        const Launch& l = twin.launch;
        for (int i = 0; i < 6; ++i) {
            Dim3 group{};
            Dim3 local{};
            for (std::size_t d = 0; d < 3; ++d) {
                group[d] = random.small(0, l.groups[d] - 1);
                local[d] = random.small(0, l.local[d] - 1);
            }
            const std::vector<ItemRead> expected = twin.reads(group, local);
            INFO("seed " << seed << ", group " << group[0] << "," << group[1] << "," << group[2]
                         << ", local " << local[0] << "," << local[1] << "," << local[2]);
            REQUIRE(item_reads(l, group, local) == expected);
            if (!expected.empty()) {
                REQUIRE(reads_per_item(l.body) == static_cast<std::int64_t>(expected.size()));
            }
        }
    }
}

TEST_CASE("a work-item that fails a guard reads nothing")
{
    const auto ids = work_item_variables({1, 1, 1}, {8, 1, 1});
    Launch launch;
    launch.images = {{"A", {8, 8}}};
    launch.local = {8, 1, 1};
    launch.guards = {{IndexExpr(ids[0]), 5}};
    launch.body = {AccessFunction{0, IndexExpr(ids[0]), IndexExpr(0)}};
    CHECK(item_reads(launch, {0, 0, 0}, {4, 0, 0}).size() == 1);
    CHECK(item_reads(launch, {0, 0, 0}, {5, 0, 0}).empty());
    CHECK(reads_per_item(launch.body) == 1);
}

TEST_CASE("reads of an item are counted through nested loops, without running them")
{
    const Variable big{6, "k", {0, 999'999}};
    const Variable bigger{7, "m", {0, 999'999}};
    const AccessFunction read{0, IndexExpr(big), IndexExpr(0)};
    const std::vector<Statement> body{Loop{big, {read, Loop{bigger, {read, read}}}}, read};
    CHECK(reads_per_item(body) == 1'000'000LL * (1 + 2'000'000LL) + 1);
    CHECK(reads_per_item({}) == 0);
}
