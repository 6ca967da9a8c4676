#pragma once

#include "base/layers.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace texelscope::sim {

/// One access that the texture unit of a core has served. Times are in cycles.
struct ServedAccess {
    int core = 0;
    std::size_t slot = 0; ///< slot of the warp, see TimedObserver
    double from = 0;      ///< when the unit began it
    double to = 0;        ///< when the unit can begin another access
    double data = 0;      ///< when the last of its data are there
    std::int64_t lookups = 0;

    /// A lookup that missed in L1: the data are on their way from `from` to `to`.
    struct Fill {
        double from = 0;
        double to = 0;
    };
    std::span<const Fill> fills; ///< valid during the call
};

/// Watches the timed mode as it runs. A core has slots for warps, which are numbered over its
/// partitions in turn. The calls about one slot come in the order of time: a warp begins, its
/// accesses are served, it ends. All accesses of one core come in the order of time, too.
class TimedObserver {
public:
    virtual ~TimedObserver() = default;
    virtual void on_warp_begin(int core, std::size_t slot, std::int64_t group, std::int32_t warp,
                               double at) = 0;
    virtual void on_access(const ServedAccess& access) = 0;
    virtual void on_warp_end(int core, std::size_t slot, double at) = 0;
};

} // namespace texelscope::sim
