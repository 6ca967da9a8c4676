#pragma once

#include "sim/result/simulation_result.hpp"
#include "sim/timed/texture_unit.hpp"
#include "sim/timed/warp_scheduler.hpp"

#include <cstdint>
#include <span>

namespace texelscope::sim {

/// Assigns every cycle of one partition of a core to a reason: a read issued, or why none
/// did (see StallStatistics). The partition calls up_to() before its state changes, and issue()
/// whenever a warp issues; until() gives the sums at the end.
class StallAccount {
public:
    /// Assigns all cycles before `time` that have no reason yet. The arguments describe the state
    /// of the partition, which must have been the same in all of these cycles: arithmetic holds the
    /// issue port until `port_free`; the first warp that wants to read is ready at `first_read`,
    /// and the first that wants anything else at `first_other`. `unit`: the core's texture unit.
    void up_to(double time, double port_free, double first_read, double first_other,
               const TextureUnit& unit);
    /// Records that a warp issues in `cycle`: a read, or else arithmetic. up_to(cycle) comes first.
    void issue(std::int64_t cycle, bool reads);
    /// The sums of a core that is done, in a launch that ends at cycle `end`. Cycles from the last
    /// up_to() until `end` count as idle.
    [[nodiscard]] StallStatistics until(std::int64_t end) const;

private:
    /// Assigns cycles [begin, end), in which a warp is ready to read but the texture unit is not
    /// free. Cycles within `waits` go to the reason of the wait, the others to the unit itself.
    void unit_busy(std::int64_t begin, std::int64_t end, std::span<const TextureUnit::Wait> waits);

    std::int64_t done_ = 0; ///< the first cycle that has no reason yet
    StallStatistics stalls_;
};

} // namespace texelscope::sim
