#include "cli/arguments.hpp"
#include "cli/isolated.hpp"
#include "cli/probe_folder.hpp"
#include "cli/target_arguments.hpp"
#include "cli/terminal.hpp"
#include "experiments/probes/measured_profile.hpp"
#include "traces/atomic_file.hpp"
#include "traces/error.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>

namespace texelscope::cli {
namespace {

struct ProbeArguments {
    TargetArguments target;
    std::vector<std::string> only;
    std::string out;
    std::string from; ///< folder of records to read instead of measuring
    std::string profile_out;
    std::string base; ///< profile whose other values are kept
    bool again = false;
    bool list = false;
    double time_limit = 120; ///< seconds of a probe
    ProbeOptions options;
};

/// Does the work in a process of its own where a driver takes part, which may crash or hang; throws missing where it did, or
/// after `seconds`. The result is what `work` returns, as JSON.
ordered_json guarded(const ProbeArguments& arguments, double seconds, const std::function<ordered_json()>& work)
{
    return arguments.target.simulated_profile() ? work()
                                                : ordered_json::parse(isolated([&] { return work().dump(); }, seconds));
}

ordered_json header(const ProbeArguments& arguments, const TargetInfo& info, std::uint64_t seed)
{
    ordered_json out = json_result("probe");
    out["on"] = arguments.target.on;
    out["target"] = to_json(info);
    out["samples"] = arguments.options.samples;
    out["noise"] = arguments.target.noise;
    out["seed"] = seed;
    return out;
}

/// Why a probe does not run; empty where it does.
std::string reason_to_skip(const Probe& probe, const TargetInfo& info, const Known& known)
{
    if (info.cpu && !probe.on_cpu) {
        return probe.why_not_on_cpu;
    }
    for (const std::string& need : probe.needs) {
        if (!known.contains(need)) {
            return "it needs " + need + ", which no probe has found";
        }
    }
    return {};
}

/// Runs one probe; what goes wrong becomes its record.
ProbeRecord run_probe(const Probe& probe, const ProbeArguments& arguments, const TargetInfo& info, const Known& known,
                      std::uint64_t seed)
{
    ProbeRecord record;
    record.name = probe.name;
    record.reason = reason_to_skip(probe, info, known);
    if (!record.reason.empty()) {
        record.status = ProbeRecord::Status::skipped;
        return record;
    }
    const auto start = std::chrono::steady_clock::now();
    try {
        const ordered_json json = guarded(arguments, arguments.time_limit, [&] {
            ProbeRecord child;
            child.name = probe.name;
            try {
                const std::unique_ptr<Target> target = arguments.target.open(seed);
                child.result = probe.run(*target, known, arguments.options);
            } catch (const Error& error) {
                child.status = ProbeRecord::Status::failed;
                child.reason = error.what();
            }
            return to_json(child);
        });
        record = record_from_json(json, probe.name);
    } catch (const Error& error) { // the process crashed or took too long
        record.status = ProbeRecord::Status::failed;
        record.reason = error.what();
    }
    record.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return record;
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
        out["probes"].push_back({{"name", probe.name}, {"about", probe.about}, {"on_cpu", probe.on_cpu}});
        rows.push_back({probe.name, probe.about, probe.on_cpu ? "" : "no: " + probe.why_not_on_cpu});
    }
    if (global.json) {
        print_json(out);
    } else {
        print_text(format_table({"probe", "measures", "on a CPU"}, rows));
    }
    return exit_code::done;
}

void check(const ProbeArguments& arguments)
{
    arguments.target.check();
    for (const std::string& name : arguments.only) {
        if (std::none_of(probes().begin(), probes().end(), [&](const Probe& probe) { return probe.name == name; })) {
            throw bad_input("there is no probe '" + name + "'", "--only", "see texelscope probe --list");
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
    Probed probed;
    // Only child processes open a real device: a driver does not survive a fork.
    constexpr double opening_seconds = 60;
    probed.info = info_from_json(
        guarded(arguments, opening_seconds, [&] { return to_json(arguments.target.open(global.seed)->info()); }));
    probed.settings = header(arguments, probed.info, global.seed);
    const ProbeFolder folder(arguments.out, probed.settings);
    const Progress progress = make_progress(global);
    Known known;
    for (const Probe& probe : probes()) {
        const bool wanted =
            arguments.only.empty() || std::count(arguments.only.begin(), arguments.only.end(), probe.name) > 0;
        std::optional<ProbeRecord> record = arguments.again ? std::nullopt : folder.find(probe.name);
        if (!wanted && !record) {
            continue;
        }
        if (!record) {
            if (progress) {
                progress(probe.name.c_str(), static_cast<double>(&probe - probes().data()) / double(probes().size()));
            }
            record = run_probe(probe, arguments, probed.info, known, global.seed);
            folder.keep(*record, probed.info.name);
        }
        for (const ProbeFinding& finding : record->result.findings) {
            known[finding.key] = finding.value;
        }
        probed.records.push_back(std::move(*record));
    }
    end_progress(global);
    return probed;
}

Probed read(const ProbeArguments& arguments)
{
    const KeptProbes kept = read_probe_folder(arguments.from);
    return {kept.settings, info_from_json(kept.settings.at("target")), kept.records};
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
        findings.insert(findings.end(), record.result.findings.begin(), record.result.findings.end());
    }
    const std::string source = fmt::format("texelscope probe on {}, driver {}", probed.info.name, probed.info.driver);
    write_file_atomically(arguments.profile_out, to_xml(measured_profile(base, probed.info, findings, source)));
}

int probe_and_print(ProbeArguments arguments, const GlobalOptions& global)
{
    if (arguments.list) {
        return list_probes(global);
    }
    check(arguments);
    arguments.options.seed = global.seed;
    arguments.options.stop = interrupted;
    const Probed probed = arguments.from.empty() ? measure(arguments, global) : read(arguments);
    if (!arguments.profile_out.empty()) {
        write_profile(arguments, probed);
    }
    if (global.json) {
        ordered_json out = probed.settings;
        out["probes"] = ordered_json::array();
        for (const ProbeRecord& record : probed.records) {
            out["probes"].push_back(to_json(record));
        }
        print_json(out);
    } else {
        print_text(to_text(probed.records, probed.info));
    }
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
    CLI::App* parser = app.add_subcommand("probe", "measures a device with microbenchmarks: caches, warps, registers, "
                                                   "rates");
    const auto arguments = std::make_shared<ProbeArguments>();
    arguments->target.add_to(*parser);
    parser->add_option("--only", arguments->only, "names of probes (those that these need have to be in --out already)")
        ->delimiter(',');
    parser->add_option("--samples", arguments->options.samples, "samples of each measurement")
        ->check(CLI::Range(3, 1000))
        ->capture_default_str();
    parser->add_option("--time-limit", arguments->time_limit, "seconds of a probe on a real device, which then goes on")
        ->check(CLI::Range(1.0, 3600.0))
        ->capture_default_str();
    parser->add_option("--largest-image", arguments->options.largest_image, "bytes of the largest image to allocate")
        ->check(CLI::Range(std::int64_t{1} << 20, std::int64_t{1} << 32))
        ->capture_default_str();
    CLI::Option* const out = parser->add_option(
        "-o,--out", arguments->out,
        "folder for samples (JSON) and plots (SVG, PNG); what it holds already is not measured again");
    CLI::Option* const from = parser->add_option("--from", arguments->from,
                                                 "folder of an earlier --out: shows what it holds, without measuring");
    from->excludes(out)->excludes(parser->get_option("--on"))->excludes(parser->get_option("--only"));
    parser->add_option("--profile-out", arguments->profile_out,
                       "writes a device profile (NAME.xml) of what was found, every value with its source");
    parser->add_option("--base", arguments->base, "profile whose values stay where nothing was found (name or file)")
        ->needs("--profile-out");
    parser->add_flag("--again", arguments->again, "measure all, and replace what the folder holds");
    parser->add_flag("--list", arguments->list, "print the probes");
    return {parser, [arguments, &global] { return probe_and_print(*arguments, global); }, true};
}

} // namespace texelscope::cli
