#pragma once

#include "gui/network/network_request.hpp"
#include "gui/plots/plot_canvas.hpp"
#include "workbench/plots/panel_plot.hpp"

#include <cstddef>

namespace texelscope::gui {

/// What bars of kernels show.
enum class NetworkBars {
    times, ///< ns
    /// % of what the judge has for all kernels, which judges of different devices can be compared
    /// by.
    shares,
};
/// Bars of the kernels in order: one for each judge that has times. The number of a bar in its
/// series is the kernel's.
[[nodiscard]] PanelPlot network_times_plot(const NetworkResult& network,
                                           NetworkBars bars = NetworkBars::times);
/// Bytes that are needed while each kernel runs, and a line at what the plan takes.
[[nodiscard]] PanelPlot network_memory_plot(const NetworkResult& network);

/// Where along x the bars of a kernel are in a plot of so many series.
[[nodiscard]] PlotRange kernel_range(std::size_t kernel, std::size_t series);

} // namespace texelscope::gui
