#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "cli/arguments.hpp"
#include "cli/probe_session.hpp"
#include "cli/result_file.hpp"
#include "cli/terminal.hpp"
#include "workbench/probes/kept_probes.hpp"
#include "workbench/probes/probe_folder.hpp"
#include "workbench/probes/profile/measured_profile.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

namespace texelscope::cli {
namespace {

// `probe`: measures a device by microbenchmarks. In: a target, real or simulated. Out: findings
// (values for a profile), a folder of records with every sample and plots, and a profile.
//
// A probe that has a record in the folder is not measured again, so an interrupted session goes on
// where it stopped. What a probe finds, later probes know (`Known`).
struct ProbeArguments {
    ProbeSession session;
    std::vector<std::string> only;
    std::string suite = "archprobe";
    std::string out;
    std::string from; ///< folder of records to read instead of measuring
    std::string profile_out;
    std::string base; ///< profile whose other values are kept
    bool again = false;
    bool list = false;
};

constexpr const char* all_suites = "all";

/// --only goes before --suite.
bool wanted(const ProbeArguments& arguments, const Probe& probe)
{
    if (!arguments.only.empty()) {
        return std::count(arguments.only.begin(), arguments.only.end(), probe.name) > 0;
    }
    return arguments.suite == all_suites ||
           std::count(probe.suites.begin(), probe.suites.end(), arguments.suite) > 0;
}

/// The settings that samples depend on. Records with other settings do not belong to this session.
ordered_json header(const ProbeSession& session, const TargetInfo& info)
{
    ordered_json out = json_result("probe");
    out["on"] = session.target.on;
    out["target"] = workbench::probes::to_json(info);
    out["samples"] = session.options.samples;
    out["largest_image"] = session.options.largest_image;
    out["largest_chase"] = session.options.largest_chase;
    out["noise"] = session.target.noise;
    out["seed"] = session.seed;
    return out;
}

std::string probe_text(const std::vector<ProbeRecord>& records, const TargetInfo& info)
{
    std::vector<Cells> rows;
    std::string rest;
    for (const ProbeRecord& record : records) {
        if (record.status != ProbeRecord::Status::done) {
            rest +=
                fmt::format("{} {}: {}\n", record.name, to_string(record.status), record.reason);
        }
        for (const ProbeFinding& finding : record.result.findings) {
            rows.push_back({finding.key, fmt::format("{:.6g}", finding.value), finding.unit,
                            record.name, finding.how});
        }
        for (const std::string& note : record.result.notes) {
            rest += fmt::format("{}: {}\n", record.name, note);
        }
    }
    std::string text = info.name + ", driver " + info.driver + "\n\n";
    text += rows.empty() ? "nothing was found\n"
                         : format_table({"key", "value", "unit", "probe", "how"}, rows);
    return text + (rest.empty() ? "" : "\n" + rest);
}

int list_probes(const GlobalOptions& global)
{
    ordered_json out = json_result("probes");
    out["probes"] = json_list(probes(), [](const Probe& probe) -> ordered_json {
        return {{"name", probe.name},
                {"about", probe.about},
                {"suites", probe.suites},
                {"on_cpu", probe.on_cpu}};
    });
    print_result(
        global, out,
        format_table({"probe", "suite", "measures", "on a CPU"}, probes(), [](const Probe& probe) {
            return Cells{probe.name, fmt::format("{}", fmt::join(probe.suites, ", ")), probe.about,
                         probe.on_cpu ? "" : "no: " + probe.why_not_on_cpu};
        }));
    return exit_code::done;
}

void check(const ProbeArguments& arguments)
{
    arguments.session.target.check();
    for (const std::string& name : arguments.only) {
        if (std::none_of(probes().begin(), probes().end(),
                         [&](const Probe& probe) { return probe.name == name; })) {
            throw bad_input("there is no probe '" + name + "'", "--only",
                            "see texelscope probe --list");
        }
    }
}

/// A device and what probes found on it.
struct Probed {
    ordered_json settings;
    TargetInfo info;
    std::vector<ProbeRecord> records;
};

Probed measure(const ProbeArguments& arguments, const GlobalOptions& global)
{
    const ProbeSession session = arguments.session.seeded(global.seed);
    Probed probed;
    probed.info = target_info(session);
    probed.settings = header(session, probed.info);
    if (!arguments.out.empty()) {
        make_output_folder(arguments.out, "--out");
    }
    const ProbeFolder folder(arguments.out, probed.settings);
    const Progress progress = make_progress(global);
    Known known;
    for (const Probe& probe : probes()) {
        const bool asked_for = wanted(arguments, probe);
        std::optional<ProbeRecord> record;
        // A record counts even where its probe was not asked for: other probes build on what it
        // found.
        if (!(arguments.again && asked_for)) {
            record = folder.find(probe.name);
        }
        if (!asked_for && !record) {
            continue;
        }
        if (!record) {
            if (progress) {
                progress(probe.name.c_str(),
                         static_cast<double>(&probe - probes().data()) / double(probes().size()));
            }
            record = run_probe(probe, session.run(), probed.info, known);
            folder.keep(probe, *record, probed.info.name);
        }
        learn(known, *record);
        probed.records.push_back(std::move(*record));
    }
    end_progress(global);
    return probed;
}

Probed read(const ProbeArguments& arguments)
{
    const KeptProbes kept = read_probe_folder(arguments.from);
    return {kept.settings, target_of(kept, arguments.from), kept.records};
}

void write_profile(const ProbeArguments& arguments, const Probed& probed)
{
    DeviceProfile base;
    if (!arguments.base.empty()) {
        base = find_profile(arguments.base);
    }
    base.name = std::filesystem::path(arguments.profile_out).stem();
    std::vector<ProbeFinding> findings;
    for (const ProbeRecord& record : probed.records) {
        findings.insert(findings.end(), record.result.findings.begin(),
                        record.result.findings.end());
    }
    const std::string source =
        fmt::format("texelscope probe on {}, driver {}", probed.info.name, probed.info.driver);
    write_file_atomically(arguments.profile_out,
                          to_xml(measured_profile(base, probed.info, findings, source)));
}

int probe_and_print(const ProbeArguments& arguments, const GlobalOptions& global)
{
    if (arguments.list) {
        return list_probes(global);
    }
    check(arguments);
    const Probed probed = arguments.from.empty() ? measure(arguments, global) : read(arguments);
    if (!arguments.profile_out.empty()) {
        write_profile(arguments, probed);
    }
    ordered_json out = probed.settings;
    out["probes"] =
        json_list(probed.records, [](const ProbeRecord& record) { return to_json(record); });
    print_result(global, out, probe_text(probed.records, probed.info));
    if (!arguments.out.empty()) {
        print_note(global, "samples and plots written to " + arguments.out);
    }
    if (!arguments.profile_out.empty()) {
        print_note(global, "profile written to " + arguments.profile_out);
    }
    return exit_code::done;
}

} // namespace

Command probe_command(CLI::App& app, const GlobalOptions& global)
{
    CLI::App* parser = app.add_subcommand(
        "probe", "measures a device with microbenchmarks: caches, warps, registers, "
                 "rates");
    const auto arguments = std::make_shared<ProbeArguments>();
    arguments->session.add_to(*parser);
    parser
        ->add_option("--only", arguments->only,
                     "names of probes (those that these need have to be in --out already)")
        ->delimiter(',')
        ->default_str("");
    parser
        ->add_option("--samples", arguments->session.options.samples, "samples of each measurement")
        ->check(CLI::Range(3, 1000));
    parser
        ->add_option("--suite", arguments->suite,
                     "archprobe: caches, warps, registers, rates; tmmodel: walks, growing warps, "
                     "occupancy, and what these "
                     "build on; or all")
        ->check(CLI::IsMember({"archprobe", "tmmodel", all_suites}));
    CLI::Option* const out = parser->add_option("-o,--out", arguments->out,
                                                "folder for samples (JSON) and plots (SVG, PNG); "
                                                "what it holds already is not measured again");
    CLI::Option* const from =
        parser->add_option("--from", arguments->from,
                           "folder of an earlier --out: shows what it holds, without measuring");
    from->excludes(out)
        ->excludes(parser->get_option("--on"))
        ->excludes(parser->get_option("--agent"))
        ->excludes(parser->get_option("--opencl"))
        ->excludes(parser->get_option("--only"));
    parser->add_option(
        "--profile-out", arguments->profile_out,
        "writes a device profile (NAME.xml) of what was found, every value with its source");
    parser
        ->add_option("--base", arguments->base,
                     "profile whose values stay where nothing was found (name or file)")
        ->needs("--profile-out");
    parser->add_flag(
        "--again", arguments->again,
        "measure what is asked for (--only, else all) again, and replace it in the folder");
    parser->add_flag("--list", arguments->list, "print the probes");
    return {parser, [arguments, &global] { return probe_and_print(*arguments, global); }, true};
}

} // namespace texelscope::cli
