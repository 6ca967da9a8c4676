#pragma once

#include "base/layers.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace texelscope::sim {

/// What one access kept the texture unit of a core busy with. Times are cycles.
struct ServedAccess {
    int core = 0;
    std::size_t slot = 0; ///< of the warp, see TimedObserver
    double from = 0;      ///< issued
    double to = 0;        ///< the unit takes another one
    double data = 0;      ///< the last of its data are there
    std::int64_t lookups = 0;

    /// A lookup that missed in L1: the data are on their way from `from` to `to`.
    struct Fill {
        double from = 0;
        double to = 0;
    };
    std::span<const Fill> fills; ///< valid during the call
};

/// A view on the timed mode as it runs. A core has slots for warps, those of its partitions in
/// turn. Of one slot the calls come in the order of time: a warp begins, its accesses are served,
/// it ends; of one core the accesses do.
class TimedObserver {
public:
    virtual ~TimedObserver() = default;
    virtual void on_warp_begin(int core, std::size_t slot, std::int64_t group, std::int32_t warp,
                               double at) = 0;
    virtual void on_access(const ServedAccess& access) = 0;
    virtual void on_warp_end(int core, std::size_t slot, double at) = 0;
};

} // namespace texelscope::sim
