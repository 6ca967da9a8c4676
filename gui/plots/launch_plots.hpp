#pragma once

#include "workbench/plots/miss_ratio_plot.hpp"
#include "workbench/study/launch_result.hpp"

namespace texelscope::gui {

/// Miss-ratio curves of the L1 lookups of a launch: each image in a cache of its own, and all
/// together. Slow. Throws bad_input where the device's dispatch depends on time, Interrupted where
/// `stop` says so.
[[nodiscard]] MissRatioCurves launch_miss_ratios(const LaunchResult& study,
                                                 const StopToken& stop = {});

/// Resident warps over the cycles of the core that finished last, below what the occupancy allows.
/// Where every start of an occupancy group shows as a rise, those are marked. Nothing where no core
/// had a warp.
[[nodiscard]] std::optional<PanelPlot> resident_warps_plot(const LaunchResult& study);

/// What the cycles of all cores went to, in percent. Nothing without cycles.
[[nodiscard]] std::optional<PanelPlot> stalls_plot(const LaunchResult& study);

/// Two plots of one kind beside each other, as A and B, on common axes.
[[nodiscard]] PanelPlot beside(const PanelPlot& a, const PanelPlot& b);

} // namespace texelscope::gui
