#pragma once

#include "model/walks/measured_walks.hpp"
#include "traces/image.hpp"

#include <optional>
#include <string>
#include <vector>

namespace texelscope::workbench::probes {

/// The files of walks and latencies that begin with a prefix: PREFIX-walks.csv.gz and
/// PREFIX-latencies.csv.
[[nodiscard]] std::string walks_path(const std::string& prefix);
[[nodiscard]] std::string latencies_path(const std::string& prefix);

/// Measured walks and the files that hold them (read_walks(), read_walk_latencies()), so that what
/// was measured before a run was cut off is not measured again.
class SavedWalks {
public:
    /// Reads what is there. `origin`: what was measured, and how, the first line of the latencies.
    /// An empty prefix: no files. Throws bad_input where the files have another origin, or cannot
    /// be read.
    SavedWalks(std::string prefix, std::string origin, const Image& image);

    /// The latency of a walk; nothing where it was not measured. Throws bad_input where another
    /// walk has its number.
    [[nodiscard]] std::optional<double> find(const TexelWalk& walk) const;
    /// Adds walks that were measured, numbered behind all others, and writes the files.
    void add(const std::vector<TexelWalk>& walks, const std::vector<double>& ns_per_read);

private:
    std::string prefix_;
    std::string origin_;
    MeasuredWalks known_;
};

/// Writes both files.
void write_saved_walks(const std::string& prefix, const MeasuredWalks& measured,
                       const std::string& origin);

} // namespace texelscope::workbench::probes
