#include "base/error.hpp"
#include "sim/cache/cache.hpp"
#include "sim/cache/cache_statistics.hpp"
#include "tests/sim/oracle.hpp"
#include "tests/sim/random_case.hpp"
#include "tests/sim/result_difference.hpp"

#include <catch2/catch.hpp>

#include <functional>
#include <limits>
#include <list>
#include <map>

using namespace texelscope::sim;
using namespace texelscope::test;

namespace {

constexpr Bytes footprint{1 << 16};

/// Outcomes of a sequence of lookups, one letter each: . hit, C compulsory, K capacity, X conflict.
std::string outcomes(const CacheGeometry& geometry, const std::vector<std::int64_t>& addresses)
{
    Cache cache(geometry, footprint);
    std::string text;
    for (const std::int64_t address : addresses) {
        text += std::string(".CKX")[static_cast<std::size_t>(cache.lookup(address).miss)];
    }
    return text;
}

std::vector<std::int64_t> random_addresses(Random& random, int count, std::int64_t span)
{
    std::vector<std::int64_t> addresses;
    std::int64_t at = 0;
    for (int i = 0; i < count; ++i) {
        at = random.one_in(4) ? random.between(0, span - 1) : (at + random.between(0, 40)) % span;
        addresses.push_back(at);
    }
    return addresses;
}

} // namespace

TEST_CASE("misses are classified as worked out by hand")
{
    const CacheGeometry two_sets{.capacity = Bytes{128}, .ways = 1};
    // both lines in set 0, a two-line cache holds them
    CHECK(outcomes(two_sets, {0, 128, 0, 128, 0}) == "CCXXX");
    CHECK(outcomes(two_sets, {0, 64, 0, 64, 63, 127}) == "CC....");
    const CacheGeometry two_lines{.capacity = Bytes{128}, .ways = 0};
    CHECK(outcomes(two_lines, {0, 64, 128, 0, 64, 128}) == "CCCKKK");
    CHECK(outcomes(two_lines, {0, 128, 0, 128, 0}) == "CC...");
    CacheGeometry fifo = two_lines;
    fifo.replacement = ReplacementKind::fifo;
    // FIFO throws line 0 out, LRU would have kept it
    CHECK(outcomes(fifo, {0, 64, 0, 128, 0}) == "CC.CX");
}

TEST_CASE("xor-folded index separates lines that modulo puts together")
{
    CacheGeometry g{.capacity = Bytes{4 * 64}, .ways = 1};
    // Line addresses 0, 4, 8, 12 are all set 0 of 4 by modulo; folded in groups of two bits they
    // are 0, 1, 2, 3.
    const std::vector<std::int64_t> twice{0, 4 * 64, 8 * 64, 12 * 64, 0, 4 * 64, 8 * 64, 12 * 64};
    CHECK(outcomes(g, twice) == "CCCCXXXX");
    g.index = SetIndex::xor_folded;
    CHECK(outcomes(g, twice) == "CCCC....");
    CHECK(outcomes(g, {5 * 64, 0, 5 * 64}) == "CCX"); // 5 = 01 01 folds to 0
}

TEST_CASE("sectors of a line come one by one and go together")
{
    const CacheGeometry g{
        .capacity = Bytes{128}, .line = Bytes{64}, .ways = 1, .sector = Bytes{16}};
    Cache cache(g, footprint);
    CHECK(cache.lookup(0).miss == MissKind::compulsory);
    CHECK(cache.lookup(15).hit());
    CHECK_FALSE(cache.contains(16));
    const LookupOutcome second = cache.lookup(16); // the line is there, the sector is not
    CHECK(second.miss == MissKind::compulsory);
    CHECK_FALSE(second.evicted);
    CHECK(cache.statistics().bytes_filled == Bytes{32});
    CHECK(cache.statistics().evictions == 0);
    const LookupOutcome other = cache.lookup(128 + 48);
    CHECK(other.evicted == 0);
    CHECK(cache.statistics().evictions == 1);
    CHECK_FALSE(cache.contains(0));
    CHECK_FALSE(cache.contains(16));
    CHECK(cache.contains(128 + 50));
    CHECK_FALSE(cache.contains(128));
    CHECK(cache.lookup(16).miss == MissKind::conflict);
    CHECK(cache.lookup(0).miss == MissKind::conflict);
    CHECK(cache.statistics().bytes_filled == Bytes{5 * 16});
}

TEST_CASE("contains changes nothing")
{
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        Random random(seed);
        const CacheGeometry g = random_geometry(random, 16);
        const std::vector<std::int64_t> addresses =
            random_addresses(random, 300, 8 * g.capacity.value);
        Cache quiet(g, Bytes{1 << 20});
        Cache asked(g, Bytes{1 << 20});
        INFO("seed " << seed);
        for (const std::int64_t address : addresses) {
            const bool present = asked.contains(address);
            for (int i = 0; i < 3; ++i) {
                (void)asked.contains(random.pick(addresses));
            }
            const LookupOutcome a = quiet.lookup(address);
            const LookupOutcome b = asked.lookup(address);
            REQUIRE(a.miss == b.miss);
            REQUIRE(a.evicted == b.evicted);
            REQUIRE(present == a.hit());
            REQUIRE(asked.contains(address));
        }
        REQUIRE(quiet.statistics() == asked.statistics());
        REQUIRE(quiet.geometry() == g);
    }
}

TEST_CASE("a cache alone agrees with a plain one, lookup by lookup")
{
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
        Random random(seed + 1000);
        CacheGeometry g = random_geometry(random, 48);
        if (random.one_in(4)) { // sets wider than most
            g.ways = g.replacement == ReplacementKind::plru ? 32 : random.small(17, 40);
            g.index = SetIndex::modulo;
            g.capacity = g.line * (g.ways * random.between(1, 3));
        }
        Cache cache(g, Bytes{1 << 20});
        OracleCache oracle(g);
        INFO("seed " << seed);
        const std::int64_t span =
            random.pick(std::vector<std::int64_t>{1, 2, 4, 20}) * g.capacity.value;
        for (const std::int64_t address : random_addresses(random, 250, span)) {
            const LookupOutcome want = oracle.lookup(address);
            const LookupOutcome got = cache.lookup(address);
            REQUIRE(got.miss == want.miss);
            REQUIRE(got.evicted == want.evicted);
        }
        REQUIRE(statistics_difference("cache", oracle.statistics, cache.statistics()).empty());
    }
}

TEST_CASE("invariants of every policy: lookups split into hits and misses, misses cover the "
          "distinct lines")
{
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        Random random(seed + 2000);
        CacheGeometry g = random_geometry(random, 32);
        if (random.one_in(3)) {
            g.replacement = ReplacementKind::random;
            g.seed = seed;
        }
        const std::vector<std::int64_t> addresses =
            random_addresses(random, 300, 4 * g.capacity.value);
        Cache cache(g, Bytes{1 << 20});
        Cache again(g, Bytes{1 << 20});
        std::map<std::int64_t, int> lines;
        std::map<std::int64_t, int> granules;
        CacheStatistics before_phase;
        for (std::size_t i = 0; i < addresses.size(); ++i) {
            if (i == 100) {
                before_phase = cache.statistics();
            }
            ++lines[addresses[i] / g.line.value];
            ++granules[addresses[i] / g.granule().value];
            cache.lookup(addresses[i]);
            again.lookup(addresses[i]);
        }
        const CacheStatistics s = cache.statistics();
        INFO("seed " << seed);
        CHECK(s == again.statistics());
        CHECK(s.lookups == 300);
        CHECK(s.hits + s.misses() == s.lookups);
        CHECK(s.compulsory == static_cast<std::int64_t>(granules.size()));
        CHECK(s.misses() >= static_cast<std::int64_t>(lines.size()));
        CHECK(s.bytes_filled.value == s.misses() * g.granule().value);
        CHECK(s.evictions <= s.misses());
        CHECK(s.evictions >= static_cast<std::int64_t>(lines.size()) - g.lines());
        if (g.sector.value == 0 && s.evictions == 0) {
            CHECK(s.misses() <= g.lines());
        }
        if (g.ways_per_set() == g.lines() && g.replacement == ReplacementKind::lru) {
            CHECK(s.conflict == 0);
        }
        const CacheStatistics phase = s - before_phase;
        CHECK(phase.lookups == 200);
        CHECK(phase.hits + phase.misses() == 200);
        CHECK(phase + before_phase == s);
    }
}

TEST_CASE("misses of a fully associative LRU cache are the stack distances beyond its size")
{
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        Random random(seed + 3000);
        const std::vector<std::int64_t> addresses = random_addresses(random, 400, 64 * 64);
        // Distance: how many other lines were used since the last use of this one.
        std::list<std::int64_t> stack;
        std::map<std::int64_t, std::int64_t> histogram;
        std::int64_t first_uses = 0;
        for (const std::int64_t address : addresses) {
            const std::int64_t line = address / 64;
            std::int64_t distance = 0;
            auto at = stack.begin();
            for (; at != stack.end() && *at != line; ++at) {
                ++distance;
            }
            if (at == stack.end()) {
                ++first_uses;
            } else {
                ++histogram[distance];
                stack.erase(at);
            }
            stack.push_front(line);
        }
        std::int64_t last = std::numeric_limits<std::int64_t>::max();
        for (std::int64_t lines = 1; lines <= 70; lines += random.between(1, 6)) {
            Cache cache({.capacity = Bytes{64 * lines}}, footprint);
            for (const std::int64_t address : addresses) {
                cache.lookup(address);
            }
            std::int64_t expected = first_uses;
            for (const auto& [distance, count] : histogram) {
                expected += distance >= lines ? count : 0;
            }
            INFO("seed " << seed << ", " << lines << " lines");
            REQUIRE(cache.statistics().misses() == expected);
            REQUIRE(cache.statistics().compulsory == first_uses);
            REQUIRE(cache.statistics().misses() <= last); // they fall as capacity grows
            last = cache.statistics().misses();
        }
    }
}

TEST_CASE("geometries whose numbers do not fit together are refused by the name of the setting")
{
    const CacheGeometry good{.capacity = Bytes{1024}, .ways = 4};
    CHECK_NOTHROW(validate(good, "l1"));
    const auto refused = [&](const std::string& names,
                             const std::function<void(CacheGeometry&)>& change) {
        CacheGeometry g = good;
        change(g);
        INFO(names);
        CHECK_THROWS_AS(validate(g, "l7"), Error);
        CHECK_THROWS_AS(Cache(g, footprint), Error);
        try {
            validate(g, "l7");
        } catch (const Error& e) {
            CHECK_THAT(e.what(), Catch::Matchers::Contains("l7."));
        }
    };
    refused("line 0", [](CacheGeometry& g) { g.line = Bytes{0}; });
    refused("negative line", [](CacheGeometry& g) { g.line = Bytes{-64}; });
    refused("negative capacity", [](CacheGeometry& g) { g.capacity = Bytes{-1024}; });
    refused("capacity below a line", [](CacheGeometry& g) { g.capacity = Bytes{32}; });
    refused("capacity of broken lines", [](CacheGeometry& g) { g.capacity = Bytes{1000}; });
    refused("more ways than lines", [](CacheGeometry& g) { g.ways = 32; });
    refused("broken sets", [](CacheGeometry& g) { g.ways = 3; });
    refused("negative ways", [](CacheGeometry& g) { g.ways = -1; });
    refused("three ways in a tree", [](CacheGeometry& g) {
        g.capacity = Bytes{64 * 6};
        g.ways = 3;
        g.replacement = ReplacementKind::plru;
    });
    refused("a tree over six lines", [](CacheGeometry& g) {
        g.capacity = Bytes{64 * 6};
        g.ways = 0;
        g.replacement = ReplacementKind::plru;
    });
    refused("three sets folded", [](CacheGeometry& g) {
        g.capacity = Bytes{64 * 12};
        g.index = SetIndex::xor_folded;
    });
    refused("sector larger than the line", [](CacheGeometry& g) { g.sector = Bytes{128}; });
    refused("sector that does not divide the line", [](CacheGeometry& g) { g.sector = Bytes{24}; });
    refused("negative sector", [](CacheGeometry& g) { g.sector = Bytes{-16}; });
}

TEST_CASE("cache statistics add and subtract field by field")
{
    const CacheStatistics a{100, 90, 50, 10, 20, 10, 5, Bytes{640}};
    const CacheStatistics b{1, 2, 3, 4, 5, 6, 7, Bytes{8}};
    CHECK(a + b == CacheStatistics{101, 92, 53, 14, 25, 16, 12, Bytes{648}});
    CHECK(a - b == CacheStatistics{99, 88, 47, 6, 15, 4, -2, Bytes{632}});
    CHECK((a + b) - b == a);
    CacheStatistics c = a;
    c += b;
    CHECK(c == a + b);
    CHECK(a.misses() == 40);
    CHECK(a.miss_rate() == Approx(40.0 / 90.0));
    CHECK(CacheStatistics{}.miss_rate() == 0.0);
}
