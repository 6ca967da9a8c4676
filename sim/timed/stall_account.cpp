#include "sim/timed/stall_account.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace texelscope::sim {
namespace {

/// The first cycle that begins at `time` or later, within [begin, end].
std::int64_t cycle_of(double time, std::int64_t begin, std::int64_t end)
{
    return static_cast<std::int64_t>(std::ceil(std::clamp(time, static_cast<double>(begin), static_cast<double>(end))));
}

} // namespace

void StallAccount::not_ready(std::int64_t begin, std::int64_t end, std::span<const WarpSlot> slots)
{
    if (begin >= end) {
        return;
    }
    std::vector<std::pair<std::int64_t, std::int64_t>> arithmetic;
    for (const WarpSlot& slot : slots) {
        const std::int64_t first = cycle_of(slot.data, begin, end);
        const std::int64_t last = cycle_of(slot.ready, begin, end);
        if (first < last) {
            arithmetic.emplace_back(first, last);
        }
    }
    std::sort(arithmetic.begin(), arithmetic.end());
    std::int64_t covered = 0;
    std::int64_t reached = begin;
    for (const auto& [first, last] : arithmetic) {
        covered += std::max<std::int64_t>(0, last - std::max(first, reached));
        reached = std::max(reached, last);
    }
    stalls_.alu_busy += covered;
    stalls_.waiting_for_data += end - begin - covered;
}

void StallAccount::unit_busy(std::int64_t begin, std::int64_t end, std::span<const TextureUnit::Wait> waits)
{
    std::int64_t waited = 0;
    for (const TextureUnit::Wait& wait : waits) {
        const std::int64_t cycles = cycle_of(wait.end, begin, end) - cycle_of(wait.begin, begin, end);
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

void StallAccount::up_to(double time, double port_free, std::span<const WarpSlot> slots, const TextureUnit& unit)
{
    const auto end = static_cast<std::int64_t>(std::ceil(time));
    if (end <= done_) {
        return;
    }
    const std::int64_t port = cycle_of(port_free, done_, end);
    stalls_.alu_busy += port - done_;
    double first_ready = TextureUnit::never;
    for (const WarpSlot& slot : slots) {
        first_ready = slot.reads ? std::min(first_ready, slot.ready) : first_ready;
    }
    const std::int64_t ready = cycle_of(first_ready, port, end);
    const std::int64_t unit_free = cycle_of(unit.free_at(), ready, end);
    not_ready(port, ready, slots);
    unit_busy(ready, unit_free, unit.waits());
    not_ready(unit_free, end, slots);
    done_ = end;
}

void StallAccount::issue(std::int64_t cycle)
{
    stalls_.issued += 1;
    done_ = cycle + 1;
}

StallStatistics StallAccount::until(std::int64_t end) const
{
    StallStatistics stalls = stalls_;
    stalls.idle += end - done_;
    return stalls;
}

} // namespace texelscope::sim
