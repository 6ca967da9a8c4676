#include "cli/probe_folder.hpp"

#include "cli/output_folder.hpp"
#include "experiments/probes/probe_plot.hpp"
#include "traces/atomic_file.hpp"
#include "traces/error.hpp"

#include <filesystem>
#include <fstream>
#include <utility>

namespace texelscope::cli {
namespace {

namespace fs = std::filesystem;

std::string file_name(const std::string& text)
{
    std::string name;
    for (const char c : text) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
        if (plain || (!name.empty() && name.back() != '-')) {
            name += plain ? c : '-';
        }
    }
    return name;
}

std::string record_path(const std::string& folder, const std::string& probe)
{
    return (fs::path(folder) / (probe + ".json")).string();
}

/// With members "settings" and "record"; nothing where there is no such file.
std::optional<ordered_json> read_record(const std::string& path)
{
    std::ifstream file(path);
    if (!file) {
        return std::nullopt;
    }
    auto json = ordered_json::parse(file, nullptr, false);
    if (json.is_discarded() || !json.contains("settings") || !json.contains("record")) {
        throw bad_input("this is no record of a probe", path, "remove the file, or give --again");
    }
    return json;
}

} // namespace

ProbeFolder::ProbeFolder(std::string path, ordered_json settings)
    : path_(std::move(path)), settings_(std::move(settings))
{
    if (!path_.empty()) {
        make_output_folder(path_, "--out");
    }
}

std::optional<ProbeRecord> ProbeFolder::find(const std::string& probe) const
{
    const std::string path = record_path(path_, probe);
    if (path_.empty()) {
        return std::nullopt;
    }
    const std::optional<ordered_json> json = read_record(path);
    if (!json) {
        return std::nullopt;
    }
    if (json->at("settings") != settings_) {
        throw bad_input("this record was measured with other settings, or elsewhere", path,
                        "give another folder, or --again to replace it");
    }
    return record_from_json(json->at("record"), path);
}

void ProbeFolder::keep(const Probe& probe, const ProbeRecord& record, const std::string& device) const
{
    if (path_.empty()) {
        return;
    }
    for (const ProbePlot& plot : plots_of(probe, record.result, device)) {
        write_plot((fs::path(path_) / (record.name + "-" + file_name(plot.name))).string(), plot.plot);
    }
    // Last, so that a record means that all of it is there.
    write_file_atomically(record_path(path_, record.name),
                          ordered_json{{"settings", settings_}, {"record", to_json(record)}}.dump(1) + "\n");
}

KeptProbes read_probe_folder(const std::string& path)
{
    KeptProbes kept;
    for (const Probe& probe : probes()) {
        const std::string file = record_path(path, probe.name);
        const std::optional<ordered_json> json = read_record(file);
        if (!json) {
            continue;
        }
        if (!kept.records.empty() && json->at("settings") != kept.settings) {
            throw bad_input("this record was measured with other settings than those before it", file,
                            "measure them again together");
        }
        kept.settings = json->at("settings");
        kept.records.push_back(record_from_json(json->at("record"), file));
    }
    if (kept.records.empty()) {
        throw bad_input("there is no record of a probe in this folder", path, "name the folder of probe --out");
    }
    return kept;
}

} // namespace texelscope::cli
