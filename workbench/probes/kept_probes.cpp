#include "workbench/probes/kept_probes.hpp"

#include "base/error.hpp"
#include "base/file_bytes.hpp"
#include "base/json_nesting.hpp"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

namespace texelscope::workbench::probes {

std::string probe_record_path(const std::string& folder, const std::string& probe)
{
    return (std::filesystem::path(folder) / (probe + ".json")).string();
}

std::optional<KeptProbe> read_probe_record(const std::string& path)
{
    errno = 0;
    std::ifstream file(path);
    if (!file && (errno == ENOENT || errno == ENOTDIR)) {
        return std::nullopt;
    }
    if (!file) { // it is not measured again for that
        throw bad_input("this record cannot be read: " + std::generic_category().message(errno),
                        path, "check the disk, and the permissions of file and folder");
    }
    return parse_probe_record(rest_of(file, path), path);
}

KeptProbe parse_probe_record(const std::string& text, const std::string& path)
{
    base::check_json_nesting(text, path);
    const auto json = nlohmann::ordered_json::parse(text, nullptr, false);
    if (json.is_discarded() || !json.contains("settings") || !json.contains("record")) {
        throw bad_input("this is no record of a probe", path, "remove the file, or give --again");
    }
    return {json.at("settings"), record_from_json(json.at("record"), path)};
}

KeptProbes read_probe_folder(const std::string& path)
{
    KeptProbes all;
    for (const Probe& probe : probes()) {
        const std::string file = probe_record_path(path, probe.name);
        std::optional<KeptProbe> kept = read_probe_record(file);
        if (!kept) {
            continue;
        }
        if (!all.records.empty() && kept->settings != all.settings) {
            throw bad_input("this record was measured with other settings than those before it",
                            file, "measure them again together");
        }
        all.settings = std::move(kept->settings);
        all.records.push_back(std::move(kept->record));
    }
    if (all.records.empty()) {
        throw bad_input("there is no record of a probe in this folder", path,
                        "name the folder of probe --out");
    }
    return all;
}

TargetInfo target_of(const KeptProbes& kept, const std::string& folder)
{
    try {
        return info_from_json(kept.settings.at("target"));
    } catch (const nlohmann::json::exception&) {
        throw bad_input("the records do not name the device that was measured", folder,
                        "measure them again");
    }
}

} // namespace texelscope::workbench::probes
