#pragma once

#include "sim/result/simulation_result.hpp"
#include "sim/timed/texture_unit.hpp"
#include "sim/timed/warp_scheduler.hpp"

#include <cstdint>
#include <span>

namespace texelscope::sim {

/// Puts every cycle of a core down to a reason (see StallStatistics).
class StallAccount {
public:
    /// The core puts the cycles before `time` down that it has not yet; it was like this in all of them. Arithmetic
    /// holds the issue port until `port_free`.
    void up_to(double time, double port_free, std::span<const WarpSlot> slots, const TextureUnit& unit);
    /// After up_to(cycle).
    void issue(std::int64_t cycle);
    /// The sum, for a core that is done at the cycle up to which it was put down, in a launch that ends at `end`.
    [[nodiscard]] StallStatistics until(std::int64_t end) const;

private:
    /// No warp is ready in [begin, end), or the active fetch group has none.
    void not_ready(std::int64_t begin, std::int64_t end, std::span<const WarpSlot> slots);
    /// A warp is ready in [begin, end), the unit is not free.
    void unit_busy(std::int64_t begin, std::int64_t end, std::span<const TextureUnit::Wait> waits);

    std::int64_t done_ = 0; ///< the first cycle that is not put down
    StallStatistics stalls_;
};

} // namespace texelscope::sim
