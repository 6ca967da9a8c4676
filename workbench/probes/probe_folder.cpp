#include "workbench/probes/probe_folder.hpp"

#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "workbench/plots/plot_files.hpp"
#include "workbench/probes/kept_probes.hpp"
#include "workbench/probes/probe_plot.hpp"

#include <filesystem>
#include <utility>

namespace texelscope::workbench::probes {
namespace {

/// A name for a file: whatever is no letter, digit or underscore becomes one hyphen.
std::string file_name(const std::string& text)
{
    std::string name;
    for (const char c : text) {
        const bool plain =
            (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
        if (plain || (!name.empty() && name.back() != '-')) {
            name += plain ? c : '-';
        }
    }
    return name;
}

} // namespace

ProbeFolder::ProbeFolder(std::string path, nlohmann::ordered_json settings)
    : path_(std::move(path)), settings_(std::move(settings))
{}

std::optional<ProbeRecord> ProbeFolder::find(const std::string& probe) const
{
    if (path_.empty()) {
        return std::nullopt;
    }
    const std::string path = probe_record_path(path_, probe);
    std::optional<KeptProbe> kept = read_probe_record(path);
    if (!kept) {
        return std::nullopt;
    }
    if (kept->settings != settings_) {
        throw bad_input("this record was measured with other settings, or elsewhere", path,
                        "give another folder, or --again to replace it");
    }
    return std::move(kept->record);
}

void ProbeFolder::keep(const Probe& probe, const ProbeRecord& record,
                       const std::string& device) const
{
    if (path_.empty()) {
        return;
    }
    for (const ProbePlot& plot : plots_of(probe, record.result, device)) {
        write_plot(
            (std::filesystem::path(path_) / (record.name + "-" + file_name(plot.name))).string(),
            plot.plot);
    }
    // Last, so that a record means that all of it is there.
    write_file_atomically(
        probe_record_path(path_, record.name),
        nlohmann::ordered_json{{"settings", settings_}, {"record", to_json(record)}}.dump(1) +
            "\n");
}

} // namespace texelscope::workbench::probes
