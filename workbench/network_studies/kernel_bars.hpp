#pragma once

#include "workbench/network_studies/judged_network.hpp"
#include "workbench/plots/drawing.hpp"

#include <cstddef>
#include <vector>

namespace texelscope::workbench::network_studies {

/// The number of a judge's colour in plots, see plot_colour().
[[nodiscard]] int colour_of(Judge judge);

/// Whether the judges' totals are so far apart (ten times) that bars on one axis of time would hide
/// one of them. Bars are shares of each judge's total then.
[[nodiscard]] bool bars_are_shares(const JudgedNetwork& network);

/// These kernels below each other, each with a bar for every judge on one axis from 0, and their
/// times. Every bar's hover text has the configuration and where tensors lie.
[[nodiscard]] Drawing kernel_bars(const JudgedNetwork& network,
                                  const std::vector<std::size_t>& kernels);

} // namespace texelscope::workbench::network_studies
