#pragma once

#include "sim/memory/timed_memory.hpp"
#include "sim/options/options.hpp"
#include "sim/timed/miss_path.hpp"
#include "sim/timed/warp_code.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace texelscope::sim {

/// A place for a resident warp (timed mode).
struct WarpSlot {
    enum class State {
        free,       ///< no warp, since `ready`
        running,    ///< its next step may begin at `ready`
        at_barrier, ///< it waits for the others of its group
        ended,      ///< its place falls free when its group ends (GroupSchedule::whole)
    } state = State::free;
    std::unique_ptr<TimedWarp> reads; ///< of a warp that has steps left
    std::optional<CodePosition> at;   ///< the next step
    /// When the next step may begin; never: not known yet. Without one: since when the slot is
    /// free, or will be.
    double ready = 0;
    bool wants_unit = false; ///< the next step is a read
    double arrived = 0;      ///< at the barrier
    double earliest = 0;     ///< when the step before is done, reads apart
    std::int64_t issued = 0; ///< reads
    std::int64_t served = 0; ///< of them, those that the texture unit has served
    /// When the first so many reads are all back, by number of the last, modulo the size.
    std::vector<double> back;
    std::int64_t age = 0;      ///< number of the warp in the order of dispatch
    std::int64_t group = -1;   ///< number of its work-group
    std::size_t partition = 0; ///< of the core, and its number there
    std::size_t number = 0;

    [[nodiscard]] bool is_free(double time) const { return state == State::free && ready <= time; }
};

/// Which warp of a partition of a core issues next, and when.
///
/// The two-level schedule: slots are cut into fetch groups of `fetch_group` in order, of which one
/// is active. At a cycle in which the partition could issue, the active group, and after it the
/// others in turn, are asked for a warp that can; the first group that has one becomes (or stays)
/// the active one. Its warps issue in loose round-robin.
class WarpScheduler {
public:
    WarpScheduler(WarpSchedule schedule, int fetch_group);

    /// Fresh warps in so many slots.
    void restart(std::size_t slots);
    /// The slot that issues at `time`, when some slot can; the texture unit is free from
    /// `unit_free` on.
    std::size_t issue(std::span<const WarpSlot> slots, double unit_free, double time);
    /// Another warp took the slot.
    void replaced(std::size_t slot);

private:
    struct Range {
        std::size_t begin = 0;
        std::size_t end = 0;
    };
    [[nodiscard]] Range slots_of(std::size_t group) const;

    WarpSchedule schedule_;
    std::size_t group_size_;
    std::size_t slots_ = 0;
    std::vector<std::size_t> last_of_group_; ///< slot that issued last, by fetch group
    std::size_t active_ = 0;                 ///< fetch group
    std::size_t last_ = 0;                   ///< slot that issued last
    bool last_is_resident_ = false;          ///< it still holds the warp that issued last
};

} // namespace texelscope::sim
