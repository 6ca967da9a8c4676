#include "model/curves/register_pool.hpp"

#include <algorithm>
#include <limits>

namespace texelscope::model {
namespace {

std::int64_t rounded_up(std::int64_t number, std::int64_t step)
{
    return (number + step - 1) / step * step;
}

} // namespace

std::vector<RegisterPool> explain_jumps(std::span<const RegisterJump> jumps, std::int64_t warp_size)
{
    constexpr int most_partitions = 8, most_step = 32, most_own = 16;
    std::vector<RegisterPool> pools;
    if (jumps.empty()) {
        return pools;
    }
    for (int partitions = 1; partitions <= most_partitions; partitions *= 2) {
        for (int step = 1; step <= most_step; step *= 2) {
            for (int own = 0; own <= most_own; ++own) {
                RegisterPool pool{0, std::numeric_limits<std::int64_t>::max(), partitions, step,
                                  own};
                for (const RegisterJump& jump : jumps) {
                    const std::int64_t items = rounded_up(jump.warps, partitions) * warp_size;
                    pool.low = std::max(pool.low, items * rounded_up(jump.fits + own, step));
                    pool.high = std::min(pool.high, items * rounded_up(jump.jumps + own, step) - 1);
                }
                if (pool.low <= pool.high) {
                    pools.push_back(pool);
                }
            }
        }
    }
    return pools;
}

} // namespace texelscope::model
