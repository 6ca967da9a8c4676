#pragma once

#include "experiments/panel_plot.hpp"
#include "experiments/probes/probe.hpp"

#include <string>
#include <vector>

namespace texelscope {

struct NamedPlot {
    std::string name; ///< unique within its probe, fit for a file
    PanelPlot plot;
};

/// Each curve of a probe that has no family: the median of each point, and lines through the least and the largest sample;
/// and each family in one plot, the medians of some of its curves, spread over all. Marks are dashed rules. On a logarithmic
/// axis x is shown as powers of two.
[[nodiscard]] std::vector<NamedPlot> probe_plots(const ProbeResult& result, const std::string& device);

} // namespace texelscope
