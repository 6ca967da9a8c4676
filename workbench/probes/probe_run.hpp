#pragma once

#include "devices/targets/target.hpp"
#include "workbench/probes/probe_record.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace texelscope::workbench::probes {

/// A device, and how probes run on it.
struct ProbeRun {
    /// Opens the device anew for each probe; what it does throws Interrupted where `stop` answers
    /// true.
    std::function<std::unique_ptr<Target>(const StopToken& stop)> open;
    /// Seconds of a probe, which then is ended, and others go on.
    std::optional<double> time_limit = {};
    ProbeOptions options = {}; ///< its `stop` ends the whole run
};

/// Runs one probe; what goes wrong, the time limit as well, becomes its record. Throws Interrupted
/// where the run is ended.
[[nodiscard]] ProbeRecord run_probe(const Probe& probe, const ProbeRun& run, const TargetInfo& info,
                                    const Known& known);

/// Adds what a probe found.
void learn(Known& known, const ProbeRecord& record);

/// These probes, and those that find what they need and is not known, in the order of probes().
[[nodiscard]] std::vector<const Probe*> with_needed(const std::vector<const Probe*>& chosen,
                                                    const Known& known);

} // namespace texelscope::workbench::probes
