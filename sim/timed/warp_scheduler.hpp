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

/// A slot of a core partition for one resident warp, and the state of that warp (timed mode). Times
/// are in cycles.
struct WarpSlot {
    enum class State {
        free,       ///< no warp is in the slot, from time `ready` on
        running,    ///< the warp's next step can begin at `ready`
        at_barrier, ///< the warp waits for the other warps of its work-group
        ended,      ///< the slot falls free when the group ends (GroupSchedule::whole)
    } state = State::free;
    std::unique_ptr<TimedWarp> reads; ///< the reads of the warp; null once it has ended
    std::optional<CodePosition> at;   ///< the warp's next step
    /// Running: when the next step can begin; `never` where that is not known yet. Free or ended:
    /// from when on the slot is free, which may lie in the future.
    double ready = 0;
    bool wants_unit = false; ///< the next step is a read
    double arrived = 0;      ///< when the warp arrived at the barrier
    double earliest = 0;     ///< when the step before is done, apart from waiting for reads
    std::int64_t issued = 0; ///< number of reads that the warp has issued
    std::int64_t served = 0; ///< number of these that the texture unit has served
    /// A ring: back[i % size] is the time at which reads 0 to i are all back. It remembers as many
    /// reads as any step looks back (WarpCode::most_under_way()).
    std::vector<double> back;
    std::int64_t age = 0;      ///< number of the warp in the order of dispatch
    std::int64_t group = -1;   ///< number of its work-group
    std::size_t partition = 0; ///< number of the partition in the core
    std::size_t number = 0;    ///< number of the slot in the partition

    [[nodiscard]] bool is_free(double time) const { return state == State::free && ready <= time; }
};

/// Chooses which ready warp of a core partition issues next (WarpSchedule).
///
/// The two-level schedule cuts the slots into fetch groups of `fetch_group` slots in order; one
/// group is active. In a cycle in which the partition could issue, the active group is asked first
/// for a warp that can issue, and then the other groups in turn. The first group that has such a
/// warp becomes (or stays) the active one. Its warps issue in loose round-robin.
class WarpScheduler {
public:
    WarpScheduler(WarpSchedule schedule, int fetch_group);

    /// Forgets all history: `slots` slots hold fresh warps.
    void restart(std::size_t slots);
    /// Returns the slot that issues at `time`, and remembers it. At least one slot must be able to
    /// issue. The texture unit takes reads from `unit_takes` on.
    std::size_t issue(std::span<const WarpSlot> slots, double unit_takes, double time);
    /// Tells that another warp has taken the slot.
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
    std::vector<std::size_t> last_of_group_; ///< by fetch group: the slot that issued last
    std::size_t active_ = 0;                 ///< number of the active fetch group
    std::size_t last_ = 0;                   ///< the slot that issued last
    bool last_is_resident_ = false;          ///< that slot still holds the warp that issued
};

} // namespace texelscope::sim
