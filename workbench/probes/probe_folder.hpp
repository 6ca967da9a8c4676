#pragma once

#include "workbench/probes/probe.hpp"
#include "workbench/probes/probe_record.hpp"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>

namespace texelscope::workbench::probes {

/// A folder of records, each "NAME.json" with the settings that it was measured with and every
/// sample, and beside it a plot of each curve (SVG, PNG). Without a path it keeps nothing.
class ProbeFolder {
public:
    /// The folder must be there. `settings`: what must be the same for samples to belong together.
    ProbeFolder(std::string path, nlohmann::ordered_json settings);

    /// The record of an earlier run; nothing where there is none. Throws bad_input where its
    /// settings are others.
    [[nodiscard]] std::optional<ProbeRecord> find(const std::string& probe) const;
    /// `device`: for the titles of plots.
    void keep(const Probe& probe, const ProbeRecord& record, const std::string& device) const;

private:
    std::string path_;
    nlohmann::ordered_json settings_;
};

} // namespace texelscope::workbench::probes
