#pragma once

#include "base/layers.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace texelscope::model {

/// What a kernel with ever more live registers a work-item shows: with `fits` of them `warps` warps
/// run together, with `jumps` they do not any more (some wait, or the compiler keeps registers in
/// memory), `fits` < `jumps`.
struct RegisterJump {
    std::int64_t warps = 1;
    int fits = 0;
    int jumps = 1;
};

/// How a core hands out its registers: each of its partitions has an equal share of the pool and of
/// the warps; a work-item takes the live registers of its kernel and `own` others (addresses,
/// counters), rounded up to a multiple of `step`. So w warps of |W| work-items run together as long
/// as
///
///     partitions * |W| * ceil(w / partitions) * step * ceil((live + own) / step) <= pool
struct RegisterPool {
    std::int64_t low = 0;  ///< the least pool that explains what was seen, in registers
    std::int64_t high = 0; ///< the largest
    int partitions = 1;
    int step = 1;
    int own = 0;
};

/// The ways of handing out registers, of 1 to 8 partitions, steps of 1 to 32 (powers of two) and up
/// to 16 own registers, that explain all jumps with one pool, the simplest first: fewer partitions,
/// smaller steps, fewer own registers. Empty where none does, or there are no jumps.
[[nodiscard]] std::vector<RegisterPool> explain_jumps(std::span<const RegisterJump> jumps,
                                                      std::int64_t warp_size);

} // namespace texelscope::model
