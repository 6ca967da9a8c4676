#pragma once

#include "workbench/probes/probe.hpp"

namespace texelscope::workbench::probes {

/// TMModel 3.2.2: one work-group of 1, 2, .. warps whose work-items all read the same rows, with
/// more and more registers; then more and more work-groups of one warp on every core. Warps that
/// run together take the time of one, so the time rises in steps of an occupancy group. And whether
/// a warp finds what another one of its group has read: warps that read the same texels against
/// warps that read each its own. Needs warp.size.
[[nodiscard]] ProbeResult probe_tmmodel_occupancy(Target& target, const Known& known,
                                                  const ProbeOptions& options);

/// Names of its curves.
[[nodiscard]] std::string group_curve_name(int registers);
[[nodiscard]] std::string groups_curve_name(int registers);
inline constexpr const char* same_data_curve = "same data";
inline constexpr const char* own_data_curve = "own data";

} // namespace texelscope::workbench::probes
