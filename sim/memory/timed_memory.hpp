#pragma once

#include "sim/memory/cache_hierarchy.hpp"
#include "sim/schedule/warp_dispatch.hpp"

#include <cstdint>
#include <memory>
#include <span>

namespace texelscope::sim {

/// One lookup of a warp access, as the timed mode sees it.
struct TimedLookup {
    std::int64_t address = 0; ///< of the first byte of the granule of L1
    FoundIn found = 0;        ///< level that has the data
};

/// A warp access after it was looked up in the caches.
struct TimedAccess {
    std::span<const TimedLookup> lookups; ///< valid until the next access of any warp
    /// Cycles that the texture unit needs for the addresses (AddressTurns) or to hand the texels
    /// back (texture.return), whichever is more; 0 where only the lookups take time.
    double held = 0;
    bool buffer = false; ///< its first lane reads a buffer (Machine::service_of())
};

/// The accesses of one warp, in order.
class TimedWarp {
public:
    virtual ~TimedWarp() = default;
    /// Looks up the next access in the caches and moves on; there must be one.
    virtual TimedAccess look_up() = 0;
    /// Moves on past the next access without looking it up.
    virtual void skip() = 0;
    /// Whether no access is left.
    [[nodiscard]] virtual bool done() const = 0;
};

/// The caches of a launch, and the warps that read through them. Tags change in the order of the
/// calls of TimedWarp::look_up().
class TimedMemory {
public:
    virtual ~TimedMemory() = default;
    /// The accesses of a warp that runs on `core`; null where the warp reads nothing.
    [[nodiscard]] virtual std::unique_ptr<TimedWarp> open(int core, WarpId warp) = 0;
};

} // namespace texelscope::sim
