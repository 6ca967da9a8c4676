#pragma once

#include "sim/memory/cache_hierarchy.hpp"
#include "sim/schedule/warp_dispatch.hpp"

#include <cstdint>
#include <memory>
#include <span>

namespace texelscope::sim {

/// One lookup of a warp access, as the timed mode sees it.
struct TimedLookup {
    std::int64_t address = 0; ///< first byte of the line (sector), over all images
    FoundIn found = 0;
};

/// A warp access, looked up in the caches.
struct TimedAccess {
    std::span<const TimedLookup> lookups; ///< valid until the next access of any warp
    /// Of the texture unit for its addresses (Timing::texture_lanes); 0: those of its lookups
    /// alone.
    int turns = 0;
};

/// The accesses of one warp, in order.
class TimedWarp {
public:
    virtual ~TimedWarp() = default;
    /// Looks the next access up in the caches and goes on to the one after it; there must be one.
    virtual TimedAccess look_up() = 0;
    /// Goes on to the access after the next one, without it.
    virtual void skip() = 0;
    /// Whether no access is left.
    [[nodiscard]] virtual bool done() const = 0;
};

/// The caches of a launch and the warps that read through them. Tags change in the order of the
/// calls.
class TimedMemory {
public:
    virtual ~TimedMemory() = default;
    /// Null where the warp reads nothing.
    [[nodiscard]] virtual std::unique_ptr<TimedWarp> open(int core, WarpId warp) = 0;
};

} // namespace texelscope::sim
