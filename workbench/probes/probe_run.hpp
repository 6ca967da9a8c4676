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
    /// Seconds after which a probe is ended; the next ones go on.
    std::optional<double> time_limit = {};
    ProbeOptions options = {}; ///< its `stop` ends the whole run
};

/// Runs one probe. Errors, and exceeding the time limit, become its record. Throws Interrupted
/// where the whole run is ended.
[[nodiscard]] ProbeRecord run_probe(const Probe& probe, const ProbeRun& run, const TargetInfo& info,
                                    const Known& known);

/// Adds the findings of a record.
void learn(Known& known, const ProbeRecord& record);

/// The chosen probes, and those that find values that they need and that are not known, in the
/// order of probes().
[[nodiscard]] std::vector<const Probe*> with_needed(const std::vector<const Probe*>& chosen,
                                                    const Known& known);

} // namespace texelscope::workbench::probes
