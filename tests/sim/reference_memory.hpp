#pragma once

#include "sim/options/options.hpp"
#include "sim/simulate.hpp"

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <vector>

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
    Tick sooner = 0; ///< than `after`

    [[nodiscard]] bool there(Tick now) const
    {
        return time && *time <= now && (!after || after->there(now + sooner));
    }
};

/// The levels behind L1 and memory, as queues in front of ports: of each core where the level is
/// its own.
class ReferenceMemory {
public:
    explicit ReferenceMemory(const SimulationOptions& options);

    void announce(const LookupEvent& lookup);
    /// Whether the ports of the core's own levels that a miss passes are free.
    [[nodiscard]] bool has_way(const LookupEvent& miss, Tick now) const;
    std::shared_ptr<ReferenceFill> request(const LookupEvent& miss);
    /// After everything that happens at `now`.
    void tick(Tick now);

private:
    struct Request {
        std::shared_ptr<ReferenceFill> fill;
        std::int64_t address = 0;
        std::size_t found = 0;        ///< level that it goes to in the end
        std::shared_ptr<bool> served; ///< of its place in Station::onward
    };
    /// A part of a cache or of memory that serves one request at a time.
    struct Bank {
        std::deque<Request> waiting;
        Tick busy_until = 0;
    };
    /// A request that a station has served, or will, and that goes on to the next level.
    struct Onward {
        Request request;
        std::shared_ptr<bool> served;
    };
    /// One cache in front of which requests queue; or memory.
    struct Station {
        std::vector<Bank> banks;
        std::deque<Onward> onward;             ///< in the order in which they came
        std::map<std::int64_t, int> announced; ///< line -> fetches not asked for yet
        std::map<std::int64_t, std::shared_ptr<ReferenceFill>> fills; ///< the last one of each line
    };
    struct Level {
        bool shared = true;
        std::int64_t granule = 1; ///< bytes
        std::int64_t line = 1;    ///< bytes that lie in one bank
        Tick service = 1;
        Tick latency = 0;
        std::vector<Station> stations;
    };
    Station& station(std::size_t level, int core)
    {
        return levels_[level].stations[levels_[level].shared ? 0 : static_cast<std::size_t>(core)];
    }
    /// Puts a request into the queue of its bank.
    void enter(std::size_t level, int core, Request request);
    void serve(std::size_t level, int core, Bank& bank, Tick now);
    void pass_on(std::size_t level, int core);

    std::vector<Level> levels_; ///< behind L1; the last is memory
};

} // namespace texelscope::test
