#pragma once

#include "experiments/probes/probe.hpp"

#include <string>
#include <vector>

namespace texelscope::experiments {

/// The plots of the records in a folder.
struct KeptPlots {
    std::string device;           ///< that was measured
    std::vector<ProbePlot> plots; ///< named "PROBE: PLOT", in the order of probes()
};
/// Throws bad_input where there is no record, or one was measured with other settings than the others.
[[nodiscard]] KeptPlots read_probe_plots(const std::string& folder);

} // namespace texelscope::experiments
