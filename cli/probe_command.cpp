#include "cli/arguments.hpp"
#include "cli/isolated.hpp"
#include "cli/probe_record.hpp"
#include "cli/target_place.hpp"
#include "cli/terminal.hpp"
#include "devices/simulated_target.hpp"
#include "experiments/probes/probe_plot.hpp"
#include "traces/atomic_file.hpp"
#include "traces/error.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <system_error>

namespace texelscope::cli {
namespace {

namespace fs = std::filesystem;

struct ProbeArguments {
    std::string on = "sim:adreno-740";
    std::vector<std::string> only;
    double noise = 0;
    std::string out;
    bool again = false;
    bool list = false;
    double time_limit = 120; ///< seconds of a probe
    ProbeOptions options;
};

/// "sim:NAME": the simulator with a profile; else an OpenCL device of this machine.
std::unique_ptr<Target> target_of(const ProbeArguments& arguments, std::uint64_t seed)
{
    if (const auto name = simulated_profile(arguments.on)) {
        return std::make_unique<SimulatedTarget>(find_profile(*name), arguments.noise, seed, interrupted);
    }
    return open_target(arguments.on);
}

/// Does the work in a process of its own where a driver takes part, which may crash or hang; throws missing where it did, or
/// after `seconds`. The result is what `work` returns, as JSON.
ordered_json guarded(const ProbeArguments& arguments, double seconds, const std::function<ordered_json()>& work)
{
    return simulated_profile(arguments.on) ? work()
                                           : ordered_json::parse(isolated([&] { return work().dump(); }, seconds));
}

std::string record_path(const ProbeArguments& arguments, const Probe& probe)
{
    return (fs::path(arguments.out) / (probe.name + ".json")).string();
}

ordered_json header(const ProbeArguments& arguments, const TargetInfo& info, std::uint64_t seed)
{
    ordered_json out = json_result("probe");
    out["on"] = arguments.on;
    out["device"] = info.name;
    out["driver"] = info.driver;
    out["compute_units"] = info.compute_units;
    out["clock_mhz"] = info.clock_mhz;
    out["samples"] = arguments.options.samples;
    out["noise"] = arguments.noise;
    out["seed"] = seed;
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
    for (const ProbeCurve& curve : record.result.curves) {
        const PanelPlot plot = probe_plot(curve, device);
        const Drawing drawing = draw(plot);
        const std::string base = (fs::path(arguments.out) / (probe.name + "-" + file_name(curve.name))).string();
        write_file_atomically(base + ".svg", to_svg(drawing, plot.title));
        write_file_atomically(base + ".png", to_png(to_picture(drawing, 2)));
    }
    // Last, so that a record means that all of it is there.
    write_file_atomically(record_path(arguments, probe),
                          ordered_json{{"settings", settings}, {"record", to_json(record)}}.dump(1) + "\n");
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
                const std::unique_ptr<Target> target = target_of(arguments, seed);
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
    if (!simulated_profile(arguments.on)) {
        require_here(arguments.on);
    }
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
    arguments.options.seed = global.seed;
    arguments.options.stop = interrupted;
    // Only child processes open a real device: a driver does not survive a fork.
    constexpr double opening_seconds = 60;
    const TargetInfo info = info_from_json(
        guarded(arguments, opening_seconds, [&] { return to_json(target_of(arguments, global.seed)->info()); }));
    const ordered_json settings = header(arguments, info, global.seed);
    const Progress progress = make_progress(global);
    std::vector<ProbeRecord> records;
    Known known;
    for (const Probe& probe : probes()) {
        const bool wanted =
            arguments.only.empty() || std::count(arguments.only.begin(), arguments.only.end(), probe.name) > 0;
        std::optional<ProbeRecord> record = earlier(arguments, probe, settings);
        if (!wanted && !record) {
            continue;
        }
        if (!record) {
            if (progress) {
                progress(probe.name.c_str(), static_cast<double>(&probe - probes().data()) / double(probes().size()));
            }
            record = run_probe(probe, arguments, info, known, global.seed);
            keep(arguments, probe, *record, settings, info.name);
        }
        for (const ProbeFinding& finding : record->result.findings) {
            known[finding.key] = finding.value;
        }
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
    parser
        ->add_option("--on", arguments->on,
                     "sim:NAME, the simulator with a profile; or an OpenCL device: index, or part of a name")
        ->capture_default_str();
    parser->add_option("--only", arguments->only, "names of probes (those that these need have to be in --out already)")
        ->delimiter(',');
    parser->add_option("--samples", arguments->options.samples, "samples of each measurement")
        ->check(CLI::Range(3, 1000))
        ->capture_default_str();
    parser->add_option("--noise", arguments->noise, "of a simulated device's times, relative: 0.05 is 5 %")
        ->check(CLI::Range(0.0, 0.99))
        ->capture_default_str();
    parser->add_option("--time-limit", arguments->time_limit, "seconds of a probe on a real device, which then goes on")
        ->check(CLI::Range(1.0, 3600.0))
        ->capture_default_str();
    parser->add_option("--largest-image", arguments->options.largest_image, "bytes of the largest image to allocate")
        ->check(CLI::Range(std::int64_t{1} << 20, std::int64_t{1} << 32))
        ->capture_default_str();
    parser->add_option("-o,--out", arguments->out,
                       "folder for samples (JSON) and plots (SVG, PNG); what it holds already is not measured again");
    parser->add_flag("--again", arguments->again, "measure all, and replace what the folder holds");
    parser->add_flag("--list", arguments->list, "print the probes");
    return {parser, [arguments, &global] { return probe_and_print(*arguments, global); }, true};
}

} // namespace texelscope::cli
