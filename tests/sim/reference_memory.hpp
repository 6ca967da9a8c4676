#pragma once

#include "sim/options/options.hpp"
#include "sim/simulate.hpp"

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>

namespace texelscope::test {
using namespace sim;

/// Time of the reference in quarters of a cycle.
using Tick = std::int64_t;
constexpr Tick ticks_per_cycle = 4;
/// Throws std::logic_error where it is no whole number.
Tick ticks(double cycles);

/// Data on their way: there when both are.
struct ReferenceFill {
    std::int64_t address = 0;
    std::optional<Tick> time; ///< nothing: the request still stands in a queue
    std::shared_ptr<ReferenceFill> after;
    int merges = 0;

    [[nodiscard]] bool there(Tick now) const { return time && *time <= now && (!after || after->there(now)); }
};

/// L2 and memory, as queues in front of two ports.
class ReferenceMemory {
public:
    explicit ReferenceMemory(const SimulationOptions& options);

    void announce(const LookupEvent& lookup);
    std::shared_ptr<ReferenceFill> request(const LookupEvent& miss);
    /// After everything that happens at `now`.
    void tick(Tick now);

private:
    struct Request {
        std::shared_ptr<ReferenceFill> fill;
        std::int64_t l2_line = 0;
        bool from_memory = false;
    };
    struct Port {
        std::deque<Request> waiting;
        Tick busy_until = 0;
    };

    const SimulationOptions& options_;
    Tick l2_service_ = 0;
    Tick memory_service_ = 0;
    Port l2_;
    Port memory_;
    std::map<std::int64_t, int> announced_;                           ///< line of L2 -> fetches not asked for yet
    std::map<std::int64_t, std::shared_ptr<ReferenceFill>> l2_fills_; ///< the last one of each line
};

} // namespace texelscope::test
