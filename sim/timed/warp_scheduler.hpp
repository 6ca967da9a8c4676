#pragma once

#include "sim/memory/timed_memory.hpp"
#include "sim/options/options.hpp"
#include "sim/schedule/warp_dispatch.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace texelscope::sim {

/// A place for a resident warp (timed mode).
struct WarpSlot {
    std::unique_ptr<TimedWarp> reads; ///< null: no access is left, the slot is free from `ready` on
    double data = 0;                  ///< when the data of the previous access are there; never: not known yet
    double ready = 0;                 ///< when the arithmetic after it is done
    std::int64_t age = 0;             ///< number of the warp in the order of dispatch
};

/// Which warp of a core issues next, and when.
///
/// The two-level schedule: slots are cut into fetch groups of `fetch_group` in order, of which one is active. At a cycle
/// in which the core could issue, the active group, and after it the others in turn, are asked for a warp that does not
/// wait for data; the first group that has one becomes (or stays) the active one. Only its warps issue, in loose
/// round-robin. Every read counts as a long latency: even a hit takes tens of cycles. A warp that gets its slot later
/// than that cycle does not change the choice: it has no data before.
class WarpScheduler {
public:
    WarpScheduler(WarpSchedule schedule, int fetch_group);

    /// Fresh warps in so many slots.
    void restart(std::size_t slots);
    /// The first whole cycle >= `free` in which a warp may issue; never where none is known to become ready.
    [[nodiscard]] double next_issue(std::span<const WarpSlot> slots, double free) const;
    /// The slot that issues at `time` = next_issue(slots, free).
    std::size_t issue(std::span<const WarpSlot> slots, double free, double time);
    /// Another warp took the slot.
    void replaced(std::size_t slot);

private:
    struct Range {
        std::size_t begin = 0;
        std::size_t end = 0;
    };
    struct Choice {
        std::size_t group = 0;
        double time = 0; ///< whole cycle from which on it is the active one; never: no data are known to come
    };
    [[nodiscard]] Range slots_of(std::size_t group) const;
    [[nodiscard]] Choice next_group(std::span<const WarpSlot> slots, double free) const;

    WarpSchedule schedule_;
    std::size_t group_size_;
    std::size_t slots_ = 0;
    std::vector<std::size_t> last_of_group_; ///< slot that issued last, by fetch group
    std::size_t active_ = 0;                 ///< fetch group
    std::size_t last_ = 0;                   ///< slot that issued last
    bool last_is_resident_ = false;          ///< it still holds the warp that issued last
};

} // namespace texelscope::sim
