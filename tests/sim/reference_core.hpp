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

/// What a warp does next, once all of its reads but the youngest `under_way` are back.
struct ReferenceStep {
    enum class Kind { read, skip, work } kind = Kind::work;
    std::int64_t under_way = std::numeric_limits<std::int64_t>::max();
    bool barrier = false;
    Tick port = 0; ///< that it holds the issue port
    Tick own = 0;  ///< until the warp goes on
    double stored = 0;
    Tick local = 0; ///< that it holds the port of local memory
};

struct ReferenceWarp {
    std::int64_t group = 0;
    std::int32_t number = 0;
    std::deque<WarpAccess> left;
    std::deque<ReferenceStep> steps;
    /// Of each read that was issued: since when its data are there; not_yet: they are not.
    std::vector<Tick> back;
    std::vector<Tick> hit_data; ///< of each: hit latency after the unit began it
    Tick earliest = 0;          ///< when the step before is done
    bool at_barrier = false;
    bool met = false; ///< all have come to it
    std::int64_t age = 0;

    /// Whether the first so many reads are back.
    [[nodiscard]] bool has(std::int64_t reads, Tick now) const
    {
        for (std::int64_t i = 0; i < reads; ++i) {
            if (back[static_cast<std::size_t>(i)] > now) {
                return false;
            }
        }
        return true;
    }
    [[nodiscard]] bool ended(Tick now) const
    {
        return steps.empty() && has(static_cast<std::int64_t>(back.size()), now) && earliest <= now;
    }
    [[nodiscard]] bool ready(Tick now) const
    {
        return !steps.empty() && !at_barrier && earliest <= now &&
               has(static_cast<std::int64_t>(back.size()) - steps.front().under_way, now);
    }
};
using ReferenceWorkGroup = std::vector<ReferenceWarp>;
using ReferenceSlot = std::optional<ReferenceWarp>;

struct ReferenceFlight { ///< a lookup after its tags were checked
    std::size_t slot = 0;
    std::size_t read = 0; ///< of the warp there
    Tick not_before = 0;
    std::shared_ptr<ReferenceFill> fill; ///< null: a plain hit

    bool there(Tick now) const { return not_before <= now && (!fill || fill->there(now)); }
};

/// A read that waits for the texture unit.
struct ReferenceAccess {
    std::deque<LookupEvent> lookups;
    Tick addresses = 0; ///< that they take, or the texels on their way back
    bool buffer = false;
    std::size_t slot = 0;
    std::size_t read = 0; ///< of the warp there
};

inline bool gone(const ReferenceSlot& slot, Tick now)
{
    return !slot || slot->ended(now);
}

enum class UnitState { serving, no_entry, no_merge_slot, fifo_full };

struct ReferenceCoreState {
    int number = 0;
    std::deque<ReferenceWarp> rest; ///< of a work-group that the core has begun
    std::vector<ReferenceSlot> slots;
    bool packing = false;
    std::optional<std::size_t> refused_with; ///< places that were free when no work-group would fit

    std::deque<ReferenceAccess> waiting;
    std::deque<LookupEvent> lookups; ///< in the texture unit
    bool buffer = false;             ///< these read one
    Tick unit_next = 0;
    Tick unit_addresses = 0; ///< when those of the access are worked out
    UnitState unit_state = UnitState::serving;
    bool refused_entry = false; ///< the first of `lookups` was, before
    bool refused_merge = false;
    std::list<std::shared_ptr<ReferenceFill>> entries;
    std::deque<ReferenceFlight> flights;
    std::size_t issued = 0;      ///< slot of the access in the unit,
    std::size_t issued_read = 0; ///< and its number among the warp's reads

    /// Slots i with i mod partitions = its number.
    struct Partition {
        Tick port_free = 0;
        std::size_t last = 0;
        bool last_resident = false;
        std::size_t active = 0;
        /// Places among the partition's slots.
        std::vector<std::size_t> last_of_group;
        std::vector<std::int64_t StallStatistics::*> reasons; ///< by cycle
    };
    std::vector<Partition> partitions;

    std::int64_t warps = 0;
    std::int64_t groups = 0;
    std::int64_t occupancy_groups = 0;
    ReservationFailures failures;
    Tick finished = 0;
    Tick local_free = 0; ///< port of local memory
    double stored = 0;   ///< cycle in which the last of its stores has left
    std::vector<int> resident;
};

} // namespace texelscope::test
