#pragma once

#include "workbench/network_studies/judged_network.hpp"
#include "workbench/plots/drawing.hpp"

#include <cstddef>
#include <vector>

namespace texelscope::workbench::network_studies {

/// The number of a judge's colour in plots, see plot_colour().
[[nodiscard]] int colour_of(Judge judge);

/// Whether the judges' totals differ by a factor of ten or more. Then bars on one time axis would
/// hide one of the judges, and bars show shares of each judge's total instead.
[[nodiscard]] bool bars_are_shares(const JudgedNetwork& network);

/// A drawing with these kernels below each other. Each has its times and a bar for every judge, on
/// one axis from 0. The hover text of a bar has the configuration and where tensors lie.
[[nodiscard]] Drawing kernel_bars(const JudgedNetwork& network,
                                  const std::vector<std::size_t>& kernels);

} // namespace texelscope::workbench::network_studies
