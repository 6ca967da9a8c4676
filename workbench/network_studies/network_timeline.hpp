#pragma once

#include "workbench/network_studies/judged_network.hpp"

#include <string>

namespace texelscope::workbench::network_studies {

/// A judged network as a timeline in Perfetto's format. Every judge has a track with the kernels
/// that it gave a time, one after the other, without what lies between them on a device, and the
/// memory in use below it; the simulator also hit rates, stalls, and a track for each core with the
/// largest part of its cycles in each kernel, and all parts as counters.
[[nodiscard]] std::string network_timeline(const JudgedNetwork& network);

} // namespace texelscope::workbench::network_studies
