#pragma once

#include "base/stop.hpp"
#include "sim/result/heat_map.hpp"
#include "traces/trace_source.hpp"

#include <cstdint>
#include <vector>

namespace texelscope::sim {

struct SimulationOptions;

/// A warp of a launch, and its code: one number greater than 0.
struct WarpNumber {
    std::int64_t group = 0;
    std::int32_t warp = 0; ///< in its group

    [[nodiscard]] std::int64_t code() const { return 1 + group * most_warps + warp; }
    [[nodiscard]] static WarpNumber of(std::int64_t code)
    {
        return {(code - 1) / most_warps, static_cast<std::int32_t>((code - 1) % most_warps)};
    }
    static constexpr std::int64_t most_warps = 1 << 20; ///< upper bound of the warps of a group
    bool operator==(const WarpNumber&) const = default;
};

/// For each texel of each image the last warp access that read it, in the order of the untimed
/// simulation.
struct LastTouches {
    /// Of each image: WarpNumber::code(), 0 where nothing read the texel.
    std::vector<HeatMap> warps;
    /// Of each image: number of the warp access over all cores, from 0; 0 too where nothing read
    /// the texel.
    std::vector<HeatMap> accesses;
};
/// Looks at every access. Throws as simulate() does.
[[nodiscard]] LastTouches last_touches(const TraceSource& source, const SimulationOptions& options,
                                       const StopToken& stop = {});

} // namespace texelscope::sim
