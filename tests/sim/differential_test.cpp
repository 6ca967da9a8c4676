#include "tests/sim/oracle.hpp"
#include "tests/sim/random_case.hpp"
#include "tests/sim/result_difference.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <sstream>

using namespace texelscope;
using namespace texelscope::test;

namespace {

std::string text_of(const LookupOutcome& o)
{
    const std::vector<std::string> kinds{"hit", "compulsory", "capacity", "conflict"};
    return kinds[static_cast<std::size_t>(o.miss)] + (o.evicted ? " evicts " + std::to_string(*o.evicted) : "");
}

template <class Event>
std::string text_of_event(const Event& e)
{
    std::ostringstream s;
    s << "core " << e.core << " group " << e.group << " warp " << e.warp << " step " << e.step << " turn " << e.turn
      << " image " << e.image << " (" << e.texel.x << "," << e.texel.y << ") address " << e.address << " line "
      << e.line << " L1 " << text_of(e.l1) << " L2 " << (e.l2 ? text_of(*e.l2) : "not asked");
    return s.str();
}

std::string differences(const SimulationCase& c)
{
    const OracleResult oracle = oracle_simulate(c.images, c.rows, c.options);
    Recorder recorder;
    std::vector<SimulationObserver*> observers{&recorder};
    SimulationResult got;
    try {
        got = simulate(*c.source(), c.options, observers);
    } catch (const std::exception& e) {
        return std::string("  the simulator throws: ") + e.what() + "\n";
    }
    std::string text = result_difference(oracle.counters, got);
    if (oracle.events.size() != recorder.lookups.size()) {
        text += "  lookup events: " + std::to_string(oracle.events.size()) + " expected, got " +
                std::to_string(recorder.lookups.size()) + "\n";
    }
    for (std::size_t i = 0; i < std::min(oracle.events.size(), recorder.lookups.size()); ++i) {
        const std::string want = text_of_event(oracle.events[i]);
        const std::string seen = text_of_event(recorder.lookups[i]);
        if (want != seen) {
            text += "  lookup " + std::to_string(i) + "\n    expected " + want + "\n    got      " + seen + "\n";
            break;
        }
    }
    return text;
}

/// The case with as few rows as still differ: parts are left out while that keeps a difference.
SimulationCase shrunk(SimulationCase c)
{
    for (std::size_t part = std::max<std::size_t>(c.rows.size() / 2, 1); part >= 1; part /= 2) {
        for (std::size_t first = 0; first < c.rows.size();) {
            SimulationCase fewer = c;
            const auto begin = fewer.rows.begin() + static_cast<std::ptrdiff_t>(first);
            fewer.rows.erase(begin, begin + static_cast<std::ptrdiff_t>(std::min(part, fewer.rows.size() - first)));
            if (differences(fewer).empty()) {
                first += part;
            } else {
                c = fewer;
            }
        }
    }
    return c;
}

/// Runs the seeds; a failure prints the seed and the smallest case that still fails.
template <class MakeCase>
void run_cases(std::uint64_t first_seed, int count, const MakeCase& make_case)
{
    int failures = 0;
    for (std::uint64_t seed = first_seed; seed < first_seed + static_cast<std::uint64_t>(count); ++seed) {
        Random random(seed);
        const SimulationCase c = make_case(random);
        const std::string text = differences(c);
        if (text.empty()) {
            continue;
        }
        ++failures;
        const SimulationCase small = shrunk(c);
        UNSCOPED_INFO("seed " << seed << "\n" << text << "in short:\n" << differences(small) << describe(small));
        CHECK(text.empty());
        if (failures == 3) {
            FAIL("further cases are left out");
        }
    }
}

} // namespace

TEST_CASE("2000 random cases: every counter and every lookup is that of a plain second simulator")
{
    run_cases(1, 2000, random_case);
}

TEST_CASE("the random cases reach every kind of miss, both caches, border reads and more than one occupancy group")
{
    // Guards the test above against a generator that drifts into easy cases.
    SimulationResult sum;
    std::int64_t several_groups = 0;
    std::int64_t sector_misses_in_present_lines = 0;
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        Random random(seed);
        const SimulationCase c = random_case(random);
        const OracleResult oracle = oracle_simulate(c.images, c.rows, c.options);
        sum.l1.hits += oracle.counters.l1.hits;
        sum.l1.compulsory += oracle.counters.l1.compulsory;
        sum.l1.capacity += oracle.counters.l1.capacity;
        sum.l1.conflict += oracle.counters.l1.conflict;
        sum.l2.hits += oracle.counters.l2.hits;
        sum.l2.capacity += oracle.counters.l2.capacity;
        sum.l2.conflict += oracle.counters.l2.conflict;
        sum.border_reads += oracle.counters.border_reads;
        for (const CoreResult& core : oracle.counters.cores) {
            several_groups += core.occupancy_groups > 1 ? 1 : 0;
        }
        if (c.options.l1.sector.value > 0) {
            sector_misses_in_present_lines += oracle.counters.l1.misses() - oracle.counters.l1.evictions;
        }
    }
    CHECK(sum.l1.hits > 1000);
    CHECK(sum.l1.compulsory > 1000);
    CHECK(sum.l1.capacity > 1000);
    CHECK(sum.l1.conflict > 300);
    CHECK(sum.l2.hits > 1000);
    CHECK(sum.l2.capacity > 100);
    CHECK(sum.l2.conflict > 50);
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
    c.options.cores = 4;
    CHECK(differences(c).empty());
    c.rows.push_back({2, 6, 9, 0, {-1, 3}}); // touches no memory
    CHECK(differences(c).empty());
    c.rows = {{2, 6, 9, 0, {-1, 3}}};
    CHECK(differences(c).empty());
}
