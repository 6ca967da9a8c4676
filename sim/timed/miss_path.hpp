#pragma once

#include "sim/cache/flat_map.hpp"
#include "sim/memory/timed_memory.hpp"
#include "sim/options/options.hpp"
#include "sim/timed/fills_under_way.hpp"
#include "sim/timed/port.hpp"

#include <cstdint>
#include <span>

namespace texelscope::sim {

/// What lies behind the L1 caches of all cores: when the data of a miss arrive, in cycles.
///
/// A miss that leaves at time t returns at
///   L2 hit:  s + L2 latency (or when the line's fill under way arrives, if that is later), s = the first time >= t at
///            which the L2 port is free; the port is then busy for granule / (L2 bytes per cycle)
///   memory:  s + memory latency, s likewise at the memory port, after the L2 port where there is an L2
/// Tags change when an access is issued, its misses leave one by one after that: of the requests for a line that is to
/// come into L2, the first one to arrive fetches it, be it the one that missed or another core's that hit.
class MissPath {
public:
    explicit MissPath(const SimulationOptions& options);

    /// The lookups of an access, when it is issued.
    void announce(std::span<const TimedLookup> lookups);
    /// Of a lookup that missed in L1 and was announced. Asked in the order of `time`, over all cores.
    double arrival(const TimedLookup& miss, double time);

private:
    double from_memory(double time, Bytes bytes);

    Timing timing_;
    bool has_l2_;
    Bytes l1_granule_;
    Bytes l2_granule_;
    Port l2_port_;
    Port memory_port_;
    FillsUnderWay l2_fills_;
    FlatMap<int> unfetched_; ///< lines of L2 -> fills announced and not asked for yet
};

} // namespace texelscope::sim
