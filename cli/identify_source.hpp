#pragma once

#include "cli/arguments.hpp"
#include "cli/target_arguments.hpp"
#include "devices/targets/target.hpp"
#include "experiments/probes/identify_simulated.hpp"

#include <optional>
#include <string>
#include <vector>

namespace texelscope::cli {

/// Where measured walks come from, and how they are searched.
struct IdentifySource {
    std::string walks;
    std::string latencies;
    std::string image;                    ///< WIDTHxHEIGHTxBYTES
    TargetArguments target{"", 0, 0, {}}; ///< to measure, where no files are given
    DeviceArguments device;               ///< `--set` of a simulated one
    std::vector<std::string> layouts;
    int folds = 5;
    int threads = 2;
    SimulatedIdentification asked; ///< of a device; noise of a simulated one
    int samples = 5;               ///< of each walk on a real device
    std::string save;
};

/// What was measured and what it means.
struct Identified {
    std::string origin; ///< what was measured, and how, in one line
    IdentifiedRounds rounds;
    std::optional<IdentifiedDevice> simulated; ///< the truth of a simulated device
    std::optional<TargetInfo> real;            ///< the device that was measured just now
};

/// Reads, simulates or measures walks, and identifies their cache. Walks on a real device are written to `save` as they are
/// measured, and those found there are not measured again; the others are written at the end. Throws bad_input and
/// missing.
[[nodiscard]] Identified identify_source(const IdentifySource& source, const GlobalOptions& global);

} // namespace texelscope::cli
