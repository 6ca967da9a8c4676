#pragma once

#include "workbench/network_studies/judged_network.hpp"
#include "workbench/plots/panel_plot.hpp"

#include <optional>

namespace texelscope::workbench::network_studies {

/// A plot of the bytes of the values that are needed while each kernel runs, over the kernel's
/// number, with a line at the memory that the plan takes.
[[nodiscard]] PanelPlot memory_plot(const JudgedNetwork& network);
/// A plot of the hit rates of L1 and L2 in each simulated kernel that looks something up; nothing
/// where no kernel does.
[[nodiscard]] std::optional<PanelPlot> hit_rate_plot(const JudgedNetwork& network);
/// A plot of the loss over the steps of training; nothing where there are fewer than two.
[[nodiscard]] std::optional<PanelPlot> loss_plot(const JudgedNetwork& network);
/// Times of one judge over those of another, a mark for each kernel; nothing where no kernel has
/// both.
[[nodiscard]] std::optional<PanelPlot> agreement_plot(const JudgedNetwork& network, Judge x,
                                                      Judge y);

} // namespace texelscope::workbench::network_studies
