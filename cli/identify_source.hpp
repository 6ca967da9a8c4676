#pragma once

#include "cli/arguments.hpp"
#include "cli/target_arguments.hpp"
#include "devices/targets/target.hpp"
#include "experiments/probes/identify_rounds.hpp"
#include "model/walks/measured_walks.hpp"

#include <optional>
#include <string>
#include <vector>

namespace texelscope::cli {

/// Measured walks and the files that hold them, PREFIX-walks.csv.gz and PREFIX-latencies.csv (read_walks(),
/// read_walk_latencies()), so that what was measured before a run was cut off is not measured again.
class SavedWalks {
public:
    /// Reads what is there. `origin`: what was measured, and how, the first line of the latencies. An empty prefix: no files.
    /// Throws bad_input where the files have another origin, or cannot be read.
    SavedWalks(std::string prefix, std::string origin, const Image& image);

    /// The latency of a walk; nothing where it was not measured. Throws bad_input where another walk has its number.
    [[nodiscard]] std::optional<double> find(const TexelWalk& walk) const;
    /// Adds walks that were measured, numbered behind all others, and writes the files.
    void add(const std::vector<TexelWalk>& walks, const std::vector<double>& ns_per_read);

private:
    std::string prefix_;
    std::string origin_;
    MeasuredWalks known_;
};

/// Writes both files.
void write_saved_walks(const std::string& prefix, const MeasuredWalks& measured, const std::string& origin);

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
