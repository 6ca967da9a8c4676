#pragma once

#include "tests/sim/random_case.hpp"
#include "tests/sim/reference_core.hpp"

#include <deque>
#include <vector>

namespace texelscope::test {
using namespace sim;

/// Work-groups and the cores that they go to.
class ReferenceDispatch {
public:
    /// `steps`: what every warp does; empty: its reads, each followed by the arithmetic of the
    /// options.
    ReferenceDispatch(const SimulationCase& c, const std::deque<ReferenceStep>& steps);

    /// Hands out what the cores can take at `now`.
    void hand_out(std::vector<ReferenceCoreState>& cores, Tick now);
    /// Whether the core has run all that there is for it.
    [[nodiscard]] bool done(const ReferenceCoreState& core, Tick now) const;

private:
    std::deque<ReferenceWorkGroup>& queue_of(const ReferenceCoreState& core)
    {
        return queues_[place_of(core)];
    }
    [[nodiscard]] std::size_t place_of(const ReferenceCoreState& core) const;
    void begin_group(ReferenceCoreState& core);
    bool pack(ReferenceCoreState& core, Tick now);
    bool refill(ReferenceCoreState& core, Tick now);
    bool take_whole(ReferenceCoreState& core, Tick now);
    void open(ReferenceCoreState& core, ReferenceSlot& slot, Tick now);
    [[nodiscard]] std::deque<ReferenceStep> reads_in_turn(std::size_t reads) const;

    SimulationOptions options_;
    std::size_t occupancy_;
    std::deque<ReferenceStep> steps_;
    std::vector<std::deque<ReferenceWorkGroup>> queues_;
};

} // namespace texelscope::test
