#pragma once

#include "cli/arguments.hpp"
#include "cli/target_arguments.hpp"
#include "workbench/probes/identified.hpp"

#include <optional>
#include <string>
#include <vector>

namespace texelscope::cli {

/// Where measured walks come from, and how they are searched. Exactly one of: files (`walks`,
/// `latencies`, `image`), a simulated device (`target` is sim:NAME, with `device` for --set), a
/// real one (any other `target`).
struct IdentifySource {
    std::string walks;
    std::string latencies;
    std::string image;                ///< WIDTHxHEIGHTxBYTES
    TargetArguments target{.on = ""}; ///< to measure, where no files are given
    DeviceArguments device;           ///< `--set` of a simulated one
    std::vector<std::string> layouts;
    std::optional<int> folds;      ///< of the cross-validation; else 5
    int threads = 0;               ///< 0: all cores
    SimulatedIdentification asked; ///< of a device; noise of a simulated one
    int samples = 5;               ///< of each walk on a real device
    std::string save;
};

/// Reads, simulates or measures walks, and identifies their cache. Walks on a real device are
/// written to `save` as they are measured, and those found there are not measured again; the others
/// are written at the end. Throws bad_input and missing.
[[nodiscard]] Identified identify_source(const IdentifySource& source, const GlobalOptions& global);

} // namespace texelscope::cli
