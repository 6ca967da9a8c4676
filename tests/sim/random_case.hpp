#pragma once

#include "sim/options/options.hpp"
#include "sim/simulate.hpp"
#include "tests/base/random.hpp"
#include "traces/formats/csv_trace.hpp"

#include <memory>
#include <string>
#include <vector>

namespace texelscope::test {
using namespace sim;

/// A small trace and the options to run it with.
struct SimulationCase {
    std::vector<Image> images;
    std::vector<TraceRow> rows;
    SimulationOptions options;

    std::unique_ptr<TraceSource> source() const { return make_trace_source("case", images, rows); }
};

NestedLayout random_nested_layout(Random& random);
/// Any tile up to 32x16, any bits of full rank in it, with and without bits above the tile,
/// constants and padding.
BitLayout random_bit_layout(Random& random);
/// Nested, by bits, or by name.
LayoutSpec random_layout(Random& random);
CacheGeometry random_geometry(Random& random, std::int64_t most_lines);
SimulationCase random_case(Random& random);
/// Adds a level of cache, or two, drawn from a seed of their own: a core's own or shared, between
/// L1 and L2 or behind L2.
void add_level(std::uint64_t seed, SimulationOptions& options);

/// The case as a trace in the plain format with the `--set` arguments that reproduce it on the
/// command line.
std::string describe(const SimulationCase& c);

/// Collects the events of a run.
struct Recorder : SimulationObserver {
    struct Access {
        int core = 0;
        std::int64_t group = 0;
        std::int32_t warp = 0;
        std::uint32_t step = 0;
        std::int64_t access_index = 0;
        std::vector<LaneRead> lanes;
        std::size_t lookups_before = 0; ///< how many lookups had been seen
    };
    std::vector<Access> accesses;
    std::vector<LookupEvent> lookups;

    void on_access(int core, std::int64_t group, std::int32_t warp, std::uint32_t step,
                   std::int64_t access_index, std::span<const LaneRead> lanes) override
    {
        accesses.push_back(
            {core, group, warp, step, access_index, {lanes.begin(), lanes.end()}, lookups.size()});
    }
    void on_lookup(const LookupEvent& event) override { lookups.push_back(event); }
};

} // namespace texelscope::test
