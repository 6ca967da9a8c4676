#pragma once

#include "sim/options.hpp"
#include "sim/port.hpp"
#include "sim/simulate.hpp"

#include <cstdint>
#include <functional>
#include <queue>
#include <span>
#include <unordered_map>
#include <vector>

namespace texelscope {

/// When data arrive that a texture unit asks for, in cycles. Shared by all cores; asked in the order of simulation.
///
/// A request that leaves at time t returns at
///   L1 hit:       t + hit latency, or when the fill under way of that line arrives, if that is later (merged miss)
///   L2 hit:       s + L2 latency (or when the line's fill under way arrives), s = the first time >= t at which the L2
///                 port is free; the port is then busy for granule / (L2 bytes per cycle)
///   memory:       s + memory latency, s likewise at the memory port, after the L2 port where there is an L2
/// A core can have only so many misses under way; one more leaves when the first of them has arrived.
class MissPath {
public:
    explicit MissPath(const SimulationOptions& options);

    struct Reply {
        double arrival = 0;
        double departure = 0; ///< later than asked for where the core had too many misses under way
    };
    /// `time` >= `now`, the cycle of the issue under way; `now` never falls from one request to the next.
    Reply request(const LookupEvent& event, double time, double now);

private:
    using Pending = std::unordered_map<std::int64_t, double>; ///< address -> arrival of the fill under way
    using Earliest = std::priority_queue<double, std::vector<double>, std::greater<>>;

    double fill(const LookupEvent& event, double time);
    double memory_fill(double time, Bytes bytes);
    static double arrival(const Pending& pending, std::int64_t address, double otherwise);
    void remember(Pending& pending, std::int64_t address, double arrival) const;

    Timing timing_;
    bool has_l2_;
    Bytes l1_granule_;
    Bytes l2_granule_;
    double now_ = 0;
    Port l2_port_;
    Port memory_port_;
    Pending l2_pending_;
    std::vector<Pending> l1_pending_; ///< by core
    std::vector<Earliest> under_way_; ///< by core: arrivals of its misses
};

} // namespace texelscope
