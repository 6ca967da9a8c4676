#pragma once

#include "sim/result/simulation_result.hpp"
#include "sim/timed/texture_unit.hpp"
#include "sim/timed/warp_scheduler.hpp"

#include <cstdint>
#include <span>

namespace texelscope::sim {

/// Puts every cycle of a core's partition down to a reason (see StallStatistics).
class StallAccount {
public:
    /// The partition puts the cycles before `time` down that it has not yet; it was like this in
    /// all of them. Work holds the issue port until `port_free`; a warp is ready to read at
    /// `first_read`, and one for something else at `first_other`.
    void up_to(double time, double port_free, double first_read, double first_other,
               const TextureUnit& unit);
    /// A read is issued, or work begins; after up_to(cycle).
    void issue(std::int64_t cycle, bool reads);
    /// The sum, for a core that is done at the cycle up to which it was put down, in a launch that
    /// ends at `end`.
    [[nodiscard]] StallStatistics until(std::int64_t end) const;

private:
    /// A warp is ready in [begin, end), the unit is not free.
    void unit_busy(std::int64_t begin, std::int64_t end, std::span<const TextureUnit::Wait> waits);

    std::int64_t done_ = 0; ///< the first cycle that is not put down
    StallStatistics stalls_;
};

} // namespace texelscope::sim
