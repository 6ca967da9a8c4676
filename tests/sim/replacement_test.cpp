#include "base/error.hpp"
#include "sim/cache/replacement.hpp"
#include "tests/base/random.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <deque>
#include <map>
#include <variant>

using namespace texelscope::sim;
using namespace texelscope::test;

namespace {

void filled(ReplacementPolicy& policy, std::int64_t set, int way)
{
    std::visit([&](auto& p) { p.filled(set, way); }, policy);
}
void hit(ReplacementPolicy& policy, std::int64_t set, int way)
{
    std::visit([&](auto& p) { p.hit(set, way); }, policy);
}
int victim(ReplacementPolicy& policy, std::int64_t set)
{
    return std::visit([&](auto& p) { return p.victim(set); }, policy);
}

/// A policy whose one set of `ways` was filled in ascending order.
ReplacementPolicy full_set(ReplacementKind kind, int ways)
{
    ReplacementPolicy policy = replacement_row(kind).make(1, ways, 1);
    for (int way = 0; way < ways; ++way) {
        filled(policy, 0, way);
    }
    return policy;
}

const std::vector<ReplacementKind> all_kinds{ReplacementKind::lru, ReplacementKind::fifo,
                                             ReplacementKind::plru, ReplacementKind::random};

} // namespace

TEST_CASE("least recently used: a hit saves a way")
{
    ReplacementPolicy p = full_set(ReplacementKind::lru, 3);
    hit(p, 0, 0);
    CHECK(victim(p, 0) == 1);
    filled(p, 0, 1);
    CHECK(victim(p, 0) == 2);
    filled(p, 0, 2);
    CHECK(victim(p, 0) == 0);
}

TEST_CASE("first in, first out: a hit changes nothing")
{
    ReplacementPolicy p = full_set(ReplacementKind::fifo, 3);
    hit(p, 0, 0);
    for (const int expected : {0, 1, 2, 0, 1}) {
        CHECK(victim(p, 0) == expected);
        filled(p, 0, expected);
        hit(p, 0, expected);
    }
}

TEST_CASE("tree pseudo-LRU follows its bits")
{
    // Four ways, node bits written root, left, right; after the fills of 0..3 all point left.
    ReplacementPolicy p = full_set(ReplacementKind::plru, 4);
    CHECK(victim(p, 0) == 0);
    hit(p, 0, 0); // root to the right, left node to way 1
    CHECK(victim(p, 0) == 2);
    hit(p, 0, 2); // root to the left, right node to way 3
    CHECK(victim(p, 0) == 1);
    hit(p, 0, 1); // root to the right, left node to way 0
    CHECK(victim(p, 0) == 3);
    filled(p, 0, 3);
    CHECK(victim(p, 0) == 0);
    // Where it differs from LRU: the uses 1, 2, 1 leave way 0 the oldest, but the tree points to
    // the right half.
    ReplacementPolicy q = full_set(ReplacementKind::plru, 4);
    hit(q, 0, 1);
    hit(q, 0, 2);
    hit(q, 0, 1);
    CHECK(victim(q, 0) == 3);
}

TEST_CASE("of two ways, tree pseudo-LRU is LRU")
{
    Random random(5);
    ReplacementPolicy tree = full_set(ReplacementKind::plru, 2);
    ReplacementPolicy lru = full_set(ReplacementKind::lru, 2);
    for (int i = 0; i < 300; ++i) {
        if (random.one_in(2)) {
            const int way = random.small(0, 1);
            hit(tree, 0, way);
            hit(lru, 0, way);
        }
        const int v = victim(lru, 0);
        REQUIRE(victim(tree, 0) == v);
        filled(lru, 0, v);
        filled(tree, 0, v);
    }
}

TEST_CASE("LRU and FIFO agree with a queue, set by set")
{
    const ReplacementKind kind = GENERATE(ReplacementKind::lru, ReplacementKind::fifo);
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        Random random(seed);
        const int sets = random.small(1, 5);
        const int ways = random.small(1, 9);
        ReplacementPolicy policy = replacement_row(kind).make(sets, ways, 1);
        std::map<int, std::deque<int>> queues;
        INFO(to_string(kind) << ", seed " << seed << ", " << sets << " sets of " << ways);
        for (int i = 0; i < 200; ++i) {
            const int set = random.small(0, sets - 1);
            std::deque<int>& queue = queues[set];
            if (static_cast<int>(queue.size()) < ways) {
                const int way = static_cast<int>(queue.size());
                filled(policy, set, way);
                queue.push_back(way);
            } else if (random.one_in(2)) {
                const int way = random.small(0, ways - 1);
                hit(policy, set, way);
                if (kind == ReplacementKind::lru) {
                    std::erase(queue, way);
                    queue.push_back(way);
                }
            } else {
                const int way = victim(policy, set);
                REQUIRE(way == queue.front());
                filled(policy, set, way);
                queue.pop_front();
                queue.push_back(way);
            }
        }
    }
}

TEST_CASE("every policy names a way of the set, and never the way that was just used where there "
          "is another")
{
    for (const ReplacementKind kind : all_kinds) {
        for (const int ways : {1, 2, 4, 8, 16}) {
            Random random(static_cast<std::uint64_t>(ways));
            ReplacementPolicy policy = replacement_row(kind).make(3, ways, 9);
            for (std::int64_t set = 0; set < 3; ++set) {
                for (int way = 0; way < ways; ++way) {
                    filled(policy, set, way);
                }
            }
            INFO(to_string(kind) << " of " << ways);
            for (int i = 0; i < 200; ++i) {
                const std::int64_t set = random.between(0, 2);
                const int used = random.small(0, ways - 1);
                hit(policy, set, used);
                const int way = victim(policy, set);
                REQUIRE(way >= 0);
                REQUIRE(way < ways);
                if (ways > 1 && (kind == ReplacementKind::lru || kind == ReplacementKind::plru)) {
                    REQUIRE(way != used);
                }
                filled(policy, set, way);
            }
        }
    }
}

TEST_CASE(
    "random replacement is repeatable for a seed, differs between seeds and uses all ways evenly")
{
    const auto victims = [](std::uint64_t seed) {
        ReplacementPolicy policy = replacement_row(ReplacementKind::random).make(2, 8, seed);
        std::vector<int> result;
        for (int i = 0; i < 8000; ++i) {
            const int way = victim(policy, i % 2);
            filled(policy, i % 2, way);
            result.push_back(way);
        }
        return result;
    };
    CHECK(victims(7) == victims(7));
    CHECK(victims(7) != victims(8));
    CHECK(victims(0) != victims(1));
    for (const std::uint64_t seed : {0ULL, 1ULL, 2ULL, 12345678901234567ULL}) {
        const std::vector<int> v = victims(seed);
        for (int way = 0; way < 8; ++way) {
            const auto count = std::count(v.begin(), v.end(), way);
            INFO("seed " << seed << ", way " << way << ": " << count << " of 8000");
            CHECK(count > 850); // 1000 expected, standard deviation 30
            CHECK(count < 1150);
        }
    }
}

TEST_CASE("replacement names parse and print")
{
    for (const ReplacementKind kind : all_kinds) {
        CHECK(parse_replacement(to_string(kind)) == kind);
    }
    CHECK(to_string(ReplacementKind::plru) == "plru");
    CHECK_THROWS_AS(parse_replacement("mru"), Error);
    CHECK_THROWS_AS(parse_replacement(""), Error);
    CHECK_THROWS_AS(parse_replacement("LRU "), Error);
}
