#include "cli/arguments.hpp"
#include "cli/probe_session.hpp"
#include "cli/terminal.hpp"
#include "experiments/probes/probe_plot.hpp"
#include "traces/atomic_file.hpp"
#include "traces/error.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <system_error>

namespace texelscope::cli {
namespace {

namespace fs = std::filesystem;

struct ProbeArguments {
    ProbeSession session;
    std::vector<std::string> only;
    std::string suite = "archprobe";
    std::string out;
    bool again = false;
    bool list = false;
};

constexpr const char* all_suites = "all";

bool wanted(const ProbeArguments& arguments, const Probe& probe)
{
    if (!arguments.only.empty()) {
        return std::count(arguments.only.begin(), arguments.only.end(), probe.name) > 0;
    }
    return arguments.suite == all_suites || std::count(probe.suites.begin(), probe.suites.end(), arguments.suite) > 0;
}

std::string record_path(const ProbeArguments& arguments, const Probe& probe)
{
    return (fs::path(arguments.out) / (probe.name + ".json")).string();
}

ordered_json header(const ProbeSession& session, const TargetInfo& info)
{
    ordered_json out = json_result("probe");
    out["on"] = session.on;
    out["device"] = info.name;
    out["driver"] = info.driver;
    out["compute_units"] = info.compute_units;
    out["clock_mhz"] = info.clock_mhz;
    out["samples"] = session.options.samples;
    out["noise"] = session.noise;
    out["seed"] = session.seed;
    return out;
}

/// The record of an earlier run with the same settings; nothing where there is none.
std::optional<ProbeRecord> earlier(const ProbeArguments& arguments, const Probe& probe, const ordered_json& settings)
{
    if (arguments.out.empty() || arguments.again) {
        return std::nullopt;
    }
    const std::string path = record_path(arguments, probe);
    std::ifstream file(path);
    if (!file) {
        return std::nullopt;
    }
    const auto json = ordered_json::parse(file, nullptr, false);
    if (json.is_discarded() || !json.contains("settings") || !json.contains("record")) {
        throw bad_input("this is no record of a probe", path, "remove the file, or give --again");
    }
    if (json.at("settings") != settings) {
        throw bad_input("this record was measured with other settings, or elsewhere", path,
                        "give another folder, or --again to replace it");
    }
    return record_from_json(json.at("record"), path);
}

std::string file_name(std::string text)
{
    std::replace(text.begin(), text.end(), ' ', '-');
    return text;
}

void keep(const ProbeArguments& arguments, const Probe& probe, const ProbeRecord& record, const ordered_json& settings,
          const std::string& device)
{
    if (arguments.out.empty()) {
        return;
    }
    for (const auto& [name, plot] : plots_of(probe, record.result, device)) {
        const Drawing drawing = draw(plot);
        const std::string base = (fs::path(arguments.out) / (probe.name + "-" + file_name(name))).string();
        write_file_atomically(base + ".svg", to_svg(drawing, plot.title));
        write_file_atomically(base + ".png", to_png(to_picture(drawing, 2)));
    }
    // Last, so that a record means that all of it is there.
    write_file_atomically(record_path(arguments, probe),
                          ordered_json{{"settings", settings}, {"record", to_json(record)}}.dump(1) + "\n");
}

std::string to_text(const std::vector<ProbeRecord>& records, const TargetInfo& info)
{
    std::vector<std::vector<std::string>> rows;
    std::string rest;
    for (const ProbeRecord& record : records) {
        if (record.status != ProbeRecord::Status::done) {
            rest += fmt::format("{} {}: {}\n", record.name, to_string(record.status), record.reason);
        }
        for (const ProbeFinding& finding : record.result.findings) {
            rows.push_back({finding.key, fmt::format("{:.6g}", finding.value), finding.unit, record.name, finding.how});
        }
        for (const std::string& note : record.result.notes) {
            rest += fmt::format("{}: {}\n", record.name, note);
        }
    }
    std::string text = info.name + ", driver " + info.driver + "\n\n";
    text += rows.empty() ? "nothing was found\n" : format_table({"key", "value", "unit", "probe", "how"}, rows);
    return text + (rest.empty() ? "" : "\n" + rest);
}

int list_probes(const GlobalOptions& global)
{
    ordered_json out = json_result("probes");
    out["probes"] = ordered_json::array();
    std::vector<std::vector<std::string>> rows;
    for (const Probe& probe : probes()) {
        out["probes"].push_back(
            {{"name", probe.name}, {"about", probe.about}, {"suites", probe.suites}, {"on_cpu", probe.on_cpu}});
        rows.push_back({probe.name, fmt::format("{}", fmt::join(probe.suites, ", ")), probe.about,
                        probe.on_cpu ? "" : "no: " + probe.why_not_on_cpu});
    }
    if (global.json) {
        print_json(out);
    } else {
        print_text(format_table({"probe", "suite", "measures", "on a CPU"}, rows));
    }
    return exit_code::done;
}

void check(const ProbeArguments& arguments)
{
    arguments.session.check();
    for (const std::string& name : arguments.only) {
        if (std::none_of(probes().begin(), probes().end(), [&](const Probe& probe) { return probe.name == name; })) {
            throw bad_input("there is no probe '" + name + "'", "--only", "see texelscope probe --list");
        }
    }
    if (!arguments.out.empty()) {
        std::error_code error;
        fs::create_directories(arguments.out, error);
        if (!fs::is_directory(arguments.out)) {
            throw bad_input("this folder cannot be made" + (error ? ": " + error.message() : std::string()),
                            "--out " + arguments.out, "name another one");
        }
    }
}

int probe_and_print(ProbeArguments arguments, const GlobalOptions& global)
{
    if (arguments.list) {
        return list_probes(global);
    }
    check(arguments);
    ProbeSession& session = arguments.session;
    session.seed = global.seed;
    session.options.seed = global.seed;
    session.options.stop = interrupted;
    const TargetInfo info = target_info(session);
    const ordered_json settings = header(session, info);
    const Progress progress = make_progress(global);
    std::vector<ProbeRecord> records;
    Known known;
    for (const Probe& probe : probes()) {
        std::optional<ProbeRecord> record = earlier(arguments, probe, settings);
        if (!wanted(arguments, probe) && !record) {
            continue;
        }
        if (!record) {
            if (progress) {
                progress(probe.name.c_str(), static_cast<double>(&probe - probes().data()) / double(probes().size()));
            }
            record = run_probe(probe, session, info, known);
            keep(arguments, probe, *record, settings, info.name);
        }
        learn(known, *record);
        records.push_back(std::move(*record));
    }
    end_progress(global);
    if (global.json) {
        ordered_json out = settings;
        out["probes"] = ordered_json::array();
        for (const ProbeRecord& record : records) {
            out["probes"].push_back(to_json(record));
        }
        print_json(out);
    } else {
        print_text(to_text(records, info));
    }
    if (!arguments.out.empty()) {
        print_note(global, "samples and plots written to " + arguments.out);
    }
    return exit_code::done;
}

} // namespace

Command probe_command(CLI::App& app, const GlobalOptions& global)
{
    CLI::App* parser = app.add_subcommand("probe", "measures a device with microbenchmarks: caches, warps, registers, "
                                                   "rates");
    const auto arguments = std::make_shared<ProbeArguments>();
    arguments->session.add_to(*parser);
    parser->add_option("--only", arguments->only, "names of probes (those that these need have to be in --out already)")
        ->delimiter(',');
    parser->add_option("--samples", arguments->session.options.samples, "samples of each measurement")
        ->check(CLI::Range(3, 1000))
        ->capture_default_str();
    parser
        ->add_option(
            "--suite", arguments->suite,
            "archprobe: caches, warps, registers, rates; tmmodel: walks, growing warps, occupancy, and what these "
            "build on; or all")
        ->check(CLI::IsMember({"archprobe", "tmmodel", all_suites}))
        ->capture_default_str();
    parser->add_option("-o,--out", arguments->out,
                       "folder for samples (JSON) and plots (SVG, PNG); what it holds already is not measured again");
    parser->add_flag("--again", arguments->again, "measure all, and replace what the folder holds");
    parser->add_flag("--list", arguments->list, "print the probes");
    return {parser, [arguments, &global] { return probe_and_print(*arguments, global); }, true};
}

} // namespace texelscope::cli
