#pragma once

#include "sim/result/simulation_result.hpp"
#include "sim/simulate.hpp"
#include "tests/sim/reference_memory.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <list>
#include <memory>
#include <optional>
#include <vector>

// The state of one core of the reference.

namespace texelscope::test {
using namespace sim;

constexpr Tick not_yet = std::numeric_limits<Tick>::max();

struct ReferenceWarp {
    std::int64_t group = 0;
    std::int32_t number = 0;
    std::deque<WarpAccess> left;
    Tick data = 0;  ///< since when the data of the last access are there; not_yet: they are not
    Tick ready = 0; ///< since when the arithmetic after it is done
    std::int64_t age = 0;
    Tick hit_data = 0; ///< of the access under way: hit latency after its issue
};
using ReferenceWorkGroup = std::vector<ReferenceWarp>;
using ReferenceSlot = std::optional<ReferenceWarp>;

struct ReferenceFlight { ///< a lookup after its tags were checked
    std::size_t slot = 0;
    Tick not_before = 0;
    std::shared_ptr<ReferenceFill> fill; ///< null: a plain hit

    bool there(Tick now) const { return not_before <= now && (!fill || fill->there(now)); }
};

inline bool gone(const ReferenceSlot& slot, Tick now)
{
    return !slot || (slot->left.empty() && slot->ready <= now);
}

enum class UnitState { serving, no_entry, no_merge_slot, fifo_full };

struct ReferenceCoreState {
    int number = 0;
    std::deque<ReferenceWarp> rest; ///< of a work-group that the core has begun
    std::vector<ReferenceSlot> slots;
    bool packing = false;

    Tick port_free = 0;
    std::deque<LookupEvent> lookups; ///< in the texture unit
    Tick unit_next = 0;
    UnitState unit_state = UnitState::serving;
    bool refused_entry = false; ///< the first of `lookups` was, before
    bool refused_merge = false;
    std::list<std::shared_ptr<ReferenceFill>> entries;
    std::deque<ReferenceFlight> flights;
    std::size_t issued = 0; ///< slot of the access in the unit

    std::size_t last = 0;
    bool last_resident = false;
    std::size_t active = 0;
    std::vector<std::size_t> last_of_group;

    std::int64_t warps = 0;
    std::int64_t groups = 0;
    std::int64_t occupancy_groups = 0;
    ReservationFailures failures;
    Tick finished = 0;
    std::vector<std::int64_t StallStatistics::*> reasons; ///< by cycle
    std::vector<int> resident;
};

} // namespace texelscope::test
