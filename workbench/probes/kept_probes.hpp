#pragma once

#include "workbench/probes/probe.hpp"
#include "workbench/probes/probe_record.hpp"

#include <optional>
#include <string>
#include <vector>

namespace texelscope::workbench::probes {

/// A probe's record as a file keeps it, together with the settings of the run.
struct KeptProbe {
    nlohmann::ordered_json settings;
    ProbeRecord record;
};
/// The file of a probe's record in a folder.
[[nodiscard]] std::string probe_record_path(const std::string& folder, const std::string& probe);
/// The record of a file; nothing where there is no such file. Throws bad_input where it holds no
/// record.
[[nodiscard]] std::optional<KeptProbe> read_probe_record(const std::string& path);
/// read_probe_record() of a file's text; `path` is what messages call it.
[[nodiscard]] KeptProbe parse_probe_record(const std::string& text, const std::string& path);

/// The records of a folder, all with the same settings.
struct KeptProbes {
    nlohmann::ordered_json settings;
    std::vector<ProbeRecord> records; ///< in the order of probes()
};
/// Reads all records of a folder. Throws bad_input where there is none, or where one was measured
/// with other settings than the others.
[[nodiscard]] KeptProbes read_probe_folder(const std::string& path);

/// The device that was measured. Throws bad_input, naming the folder, where the records do not
/// tell.
[[nodiscard]] TargetInfo target_of(const KeptProbes& kept, const std::string& folder);

} // namespace texelscope::workbench::probes
