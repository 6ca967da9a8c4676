#pragma once

#include "sim/result/heat_map.hpp"
#include "sim/simulate.hpp"

namespace texelscope::sim {

struct HeatMapResult {
    SimulationResult simulation;
    HeatMaps maps;
    std::int64_t selected = 0; ///< warp accesses that the maps count
};

/// Simulates, and counts the heat maps that are asked for. Jumps over repetition where simulate() would without
/// observers: untimed, for a launch; but for reuse, and for a range of accesses, it looks at every access. Throws as
/// simulate() does.
[[nodiscard]] HeatMapResult heat_maps(const TraceSource& source, const SimulationOptions& options,
                                      const HeatRequest& request = {}, const StopToken& stop = {});

} // namespace texelscope::sim
