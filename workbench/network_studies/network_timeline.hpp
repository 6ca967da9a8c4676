#pragma once

#include "workbench/network_studies/judged_network.hpp"

#include <string>

namespace texelscope::workbench::network_studies {

/// A judged network as a timeline in Perfetto's format. Every judge has a track with the kernels
/// that it gave a time, one directly after the other (without the gaps of a real device), and the
/// memory in use below it. The simulator also has hit rates, stalls, and a track for each core: it
/// shows the largest part of the core's cycles in each kernel, and all parts as counters.
[[nodiscard]] std::string network_timeline(const JudgedNetwork& network);

} // namespace texelscope::workbench::network_studies
