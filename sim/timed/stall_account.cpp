#include "sim/timed/stall_account.hpp"

#include <algorithm>
#include <cmath>

namespace texelscope::sim {
namespace {

/// The first cycle that begins at `time` or later, within [begin, end].
std::int64_t cycle_of(double time, std::int64_t begin, std::int64_t end)
{
    return static_cast<std::int64_t>(
        std::ceil(std::clamp(time, static_cast<double>(begin), static_cast<double>(end))));
}

} // namespace

void StallAccount::unit_busy(std::int64_t begin, std::int64_t end,
                             std::span<const TextureUnit::Wait> waits)
{
    std::int64_t waited = 0;
    for (const TextureUnit::Wait& wait : waits) {
        const std::int64_t cycles =
            cycle_of(wait.end, begin, end) - cycle_of(wait.begin, begin, end);
        waited += cycles;
        switch (wait.what) {
        case TextureUnit::WaitFor::entry:
            stalls_.outstanding_misses += cycles;
            break;
        case TextureUnit::WaitFor::merge_slot:
            stalls_.merge_slots += cycles;
            break;
        case TextureUnit::WaitFor::latency_fifo:
            stalls_.latency_fifo += cycles;
            break;
        }
    }
    stalls_.texture_unit += end - begin - waited;
}

void StallAccount::up_to(double time, double port_free, double first_read, double first_other,
                         const TextureUnit& unit)
{
    const auto end = static_cast<std::int64_t>(std::ceil(time));
    if (end <= done_) {
        return;
    }
    // The cycles [done_, end) fall into four stretches in this order: arithmetic holds the port; no
    // warp is ready; a warp is ready to read but the unit is busy; the rest. Each border is clamped
    // to the stretch that is left, so that a stretch may be empty.
    const std::int64_t port = cycle_of(port_free, done_, end);
    stalls_.alu_busy += port - done_;
    const std::int64_t ready = cycle_of(std::min(first_read, first_other), port, end);
    const std::int64_t unit_takes = cycle_of(std::min(unit.takes_from(), first_other), ready, end);
    stalls_.waiting_for_data += ready - port;
    unit_busy(ready, unit_takes, unit.waits());
    stalls_.waiting_for_data += end - unit_takes;
    done_ = end;
}

void StallAccount::issue(std::int64_t cycle, bool reads)
{
    (reads ? stalls_.issued : stalls_.alu_busy) += 1;
    done_ = cycle + 1;
}

StallStatistics StallAccount::until(std::int64_t end) const
{
    StallStatistics stalls = stalls_;
    stalls.idle += end - done_;
    return stalls;
}

} // namespace texelscope::sim
