#pragma once

#include "workbench/network_studies/judged_network.hpp"

#include <string>

namespace texelscope::workbench::network_studies {

/// One self-contained HTML file about a judged network: totals, where its time goes, a bar of each
/// judge for every kernel, agreement of the judges, memory, hit rates, configurations and layouts
/// of all kernels; works offline, light and dark.
[[nodiscard]] std::string network_report(const JudgedNetwork& network);

} // namespace texelscope::workbench::network_studies
