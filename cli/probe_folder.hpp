#pragma once

#include "cli/command.hpp"
#include "experiments/probes/probe_record.hpp"

#include <optional>
#include <string>

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

} // namespace texelscope::cli
