#pragma once

#include "cli/command.hpp"
#include "cli/probe_record.hpp"

#include <optional>
#include <string>
#include <vector>

namespace texelscope::cli {

/// A folder of records, each "NAME.json" with the settings that it was measured with and every sample, and beside it a plot
/// of each curve (SVG, PNG). Without a path it keeps nothing.
class ProbeFolder {
public:
    /// Makes the folder. Throws bad_input where that cannot be. `settings`: what must be the same for samples to belong
    /// together.
    ProbeFolder(std::string path, ordered_json settings);

    /// The record of an earlier run; nothing where there is none. Throws bad_input where its settings are others.
    [[nodiscard]] std::optional<ProbeRecord> find(const std::string& probe) const;
    /// `device`: for the titles of plots.
    void keep(const Probe& probe, const ProbeRecord& record, const std::string& device) const;

private:
    std::string path_;
    ordered_json settings_;
};

/// What a folder holds.
struct KeptProbes {
    ordered_json settings;
    std::vector<ProbeRecord> records; ///< in the order of probes()
};
/// Throws bad_input where there is no record, or one was measured with other settings than the others.
[[nodiscard]] KeptProbes read_probe_folder(const std::string& path);

} // namespace texelscope::cli
