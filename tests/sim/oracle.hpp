#pragma once

#include "sim/options/options.hpp"
#include "sim/simulate.hpp"
#include "traces/formats/csv_trace.hpp"

#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

// A second simulator, written from the description of the semantics and made to be obviously right:
// every structure is searched from end to end, every layout is written out cell by cell, and the
// whole order of accesses is listed before the first lookup. It shares the option and counter
// structs with the real one, and nothing else.

namespace texelscope::test {
using namespace sim;

/// A cache made of lists; the classification runs a second one, fully associative, beside it.
class OracleCache {
public:
    explicit OracleCache(const CacheGeometry& geometry);
    LookupOutcome lookup(std::int64_t address);
    CacheStatistics statistics;

private:
    struct Way {
        std::int64_t line = -1; ///< -1: empty
        std::set<std::int64_t> sectors;
    };
    struct Set {
        std::vector<Way> ways;
        std::deque<int> order; ///< front: the next victim of LRU and FIFO
        /// Tree PLRU: node (first way, ways) -> victim on the right.
        std::map<std::pair<int, int>, bool> right;
    };
    std::int64_t set_of(std::int64_t line) const;
    void use(Set& set, int way, bool fill);
    int victim(const Set& set) const;
    bool shadow_hits(std::int64_t line, std::int64_t granule);

    CacheGeometry geometry_;
    std::vector<Set> sets_;
    std::set<std::int64_t> touched_;
    std::list<Way> shadow_; ///< front: used last
};

/// What an observer should see of one lookup.
struct OracleEvent {
    int core = 0;
    std::int64_t group = 0;
    std::int32_t warp = 0;
    std::uint32_t step = 0;
    std::int64_t access_index = 0;
    std::uint16_t image = 0;
    Texel texel;
    std::int64_t address = 0;
    std::int64_t line = 0;
    LookupOutcome l1;
    std::vector<LookupOutcome> behind; ///< of the levels behind L1 that were asked
};

/// Untimed simulation. `cores[i]` has l1, warps and occupancy_groups; `cycles` stays empty.
struct OracleResult {
    SimulationResult counters;
    std::vector<OracleEvent> events;
    /// Batch schedule: the (group, warp) of each occupancy group of each core.
    std::vector<std::vector<std::vector<std::pair<std::int64_t, std::int32_t>>>> batches;
};

/// What a launch of a sequence finds: addresses of its images, and the caches that cores share as
/// those before it have left them.
struct OracleSequence {
    std::vector<std::int64_t> bases;
    std::vector<OracleCache> shared; ///< their statistics are of all launches
};

/// `sequence`: that the launch is part of; what cores share goes on.
OracleResult oracle_simulate(const std::vector<Image>& images, const std::vector<TraceRow>& rows,
                             const SimulationOptions& options, OracleSequence* sequence = nullptr);

} // namespace texelscope::test
