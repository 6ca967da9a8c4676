#include "tests/sim/differences.hpp"
#include "tests/sim/oracle.hpp"

#include <catch2/catch.hpp>

using namespace texelscope::sim;
using namespace texelscope::test;

TEST_CASE("the random cases reach every kind of miss, both caches, border reads and more than one "
          "occupancy group")
{
    // Guards the differential tests against a generator that drifts into easy cases.
    SimulationResult sum;
    std::int64_t several_groups = 0;
    std::int64_t sector_misses_in_present_lines = 0;
    CacheStatistics l2;
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        Random random(seed);
        const SimulationCase c = random_case(random);
        const OracleResult oracle = oracle_simulate(c.images, c.rows, c.options);
        sum.l1.hits += oracle.counters.l1.hits;
        sum.l1.compulsory += oracle.counters.l1.compulsory;
        sum.l1.capacity += oracle.counters.l1.capacity;
        sum.l1.conflict += oracle.counters.l1.conflict;
        l2.hits += oracle.counters.l2().hits;
        l2.capacity += oracle.counters.l2().capacity;
        l2.conflict += oracle.counters.l2().conflict;
        sum.border_reads += oracle.counters.border_reads;
        for (const CoreResult& core : oracle.counters.cores) {
            several_groups += core.occupancy_groups > 1 ? 1 : 0;
        }
        if (c.options.machine.l1().geometry.sector.value > 0) {
            sector_misses_in_present_lines +=
                oracle.counters.l1.misses() - oracle.counters.l1.evictions;
        }
    }
    CHECK(sum.l1.hits > 1000);
    CHECK(sum.l1.compulsory > 1000);
    CHECK(sum.l1.capacity > 1000);
    CHECK(sum.l1.conflict > 300);
    CHECK(l2.hits > 1000);
    CHECK(l2.capacity > 100);
    CHECK(l2.conflict > 50);
    CHECK(sum.border_reads > 100);
    CHECK(several_groups > 40);
    CHECK(sector_misses_in_present_lines > 100);
}

TEST_CASE("a lone access, an empty trace, and more cores than groups")
{
    SimulationCase c;
    c.images = {{"A", {4, 4}}};
    CHECK(differences(c).empty());
    c.rows = {{2, 5, 9, 0, {3, 3}}};
    c.options.machine.cores = 4;
    CHECK(differences(c).empty());
    c.rows.push_back({2, 6, 9, 0, {-1, 3}}); // touches no memory
    CHECK(differences(c).empty());
    c.rows = {{2, 6, 9, 0, {-1, 3}}};
    CHECK(differences(c).empty());
}
