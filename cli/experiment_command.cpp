#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "base/lists.hpp"
#include "base/progress.hpp"
#include "cli/arguments.hpp"
#include "cli/measured_phones.hpp"
#include "cli/result_file.hpp"
#include "cli/target_arguments.hpp"
#include "cli/terminal.hpp"
#include "experiments/experiment.hpp"
#include "experiments/experiment_report.hpp"
#include "experiments/kept_experiment.hpp"
#include "workbench/plots/plot_files.hpp"
#include "workbench/report/machine_json.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

namespace texelscope::cli {
namespace {

// `experiment`: does a published table or figure again, on a simulated device or a real one, and
// says which of the paper's findings hold. `experiment report` does all of them into one HTML page.
struct ExperimentArguments {
    std::string name;
    DeviceArguments device;
    std::vector<std::string> only;    ///< of the report; empty: all
    std::vector<std::string> devices; ///< of the report, beside --device
    std::string out;
    TargetArguments target{.on = {}}; ///< empty: the simulated device of --device
    MeasuredPhonesArguments phones;   ///< of measured-phones, which is about logs of others
};

std::string cell_text(const ResultTable::Value& value)
{
    if (const auto* number = std::get_if<double>(&value)) {
        return fmt::format("{:.5g}", *number);
    }
    if (const auto* count = std::get_if<std::int64_t>(&value)) {
        return std::to_string(*count);
    }
    return std::get<std::string>(value);
}

std::string profiles_text(const std::vector<DeviceProfile>& devices)
{
    return base::joined(devices, &DeviceProfile::name);
}

/// The result as JSON. Settings are there only for a single device, since of several there is no
/// one set of settings. `on` is what `--on` named, as the device calls itself.
ordered_json experiment_json(const Experiment& experiment, const ExperimentResult& result,
                             const std::vector<DeviceProfile>& devices)
{
    ordered_json out = json_result("experiment");
    out["experiment"] = experiment.name;
    out["title"] = experiment.title;
    out["source"] = experiment.source;
    out["device"] = profiles_text(devices);
    out["on"] = result.measured_on.empty() ? ordered_json() : ordered_json(result.measured_on);
    if (devices.size() == 1) {
        out["settings"] = settings_json(devices.front().simulation, devices.front().model);
    }
    ordered_json conditions = ordered_json::object();
    for (const auto& [name, value] : result.conditions) {
        conditions[name] = value;
    }
    out["conditions"] = conditions;
    out["rows"] = rows_json(result.table);
    for (const ExperimentResult::FurtherTable& further : result.further) {
        out["further"][further.name] = rows_json(further.table);
    }
    out["findings"] = json_list(result.findings, [](const Finding& finding) -> ordered_json {
        return {{"claim", finding.claim},
                {"paper", finding.paper},
                {"ours", finding.ours},
                {"verdict", to_string(finding.verdict)},
                {"explanation", finding.explanation}};
    });
    return out;
}

std::string table_text(const ResultTable& table)
{
    std::vector<Cells> rows;
    for (const auto& row : table.rows) {
        Cells cells;
        std::transform(row.begin(), row.end(), std::back_inserter(cells), cell_text);
        rows.push_back(std::move(cells));
    }
    return format_table(table.columns, rows);
}

/// All tables, the main one first.
std::string tables_text(const ExperimentResult& result)
{
    std::string text = table_text(result.table);
    for (const ExperimentResult::FurtherTable& further : result.further) {
        text += fmt::format("\n{}\n{}", further.title, table_text(further.table));
    }
    return text;
}

/// NAME.svg, NAME.png, NAME.csv, NAME.txt, NAME.json and a NAME-TABLE.csv for each further table in
/// the folder, which is made where it is not there.
void write_files(const std::string& folder, const Experiment& experiment,
                 const ExperimentResult& result, const std::string& devices)
{
    const std::string base = (std::filesystem::path(folder) / experiment.name).string();
    write_plot(base, result.plot);
    write_file_atomically(base + ".csv", to_csv(result.table));
    for (const ExperimentResult::FurtherTable& further : result.further) {
        write_file_atomically(fmt::format("{}-{}.csv", base, further.name), to_csv(further.table));
    }
    write_file_atomically(base + ".txt", findings_text(result));
    write_file_atomically(base + ".json", experiment_file({experiment, devices, result}));
}

int list_experiments(const GlobalOptions& global)
{
    ordered_json out = json_result("experiments");
    out["experiments"] = ordered_json::array();
    std::vector<Cells> rows;
    for (const Experiment& experiment : all_experiments()) {
        const std::string why_not(experiment.not_on_devices);
        out["experiments"].push_back(
            {{"name", experiment.name},
             {"title", experiment.title},
             {"source", experiment.source},
             {"processor_seconds", experiment.processor_seconds},
             {"not_on_devices", why_not.empty() ? ordered_json() : ordered_json(why_not)}});
        rows.push_back({std::string(experiment.name), std::string(experiment.title),
                        std::string(experiment.source), experiment.takes(),
                        experiment.runs_on_devices() ? "yes" : "no"});
    }
    print_result(global, out, format_table({"name", "shows", "after", "takes", "--on"}, rows));
    return exit_code::done;
}

/// The same overrides for another device.
DeviceArguments named(const std::string& name, DeviceArguments device)
{
    device.device = name;
    return device;
}

/// All built-in devices, each with the same overrides.
std::vector<DeviceProfile> all_devices(const DeviceArguments& device)
{
    return mapped(profile_names(),
                  [&](const std::string& name) { return named(name, device).profile(); });
}

/// Does all experiments on all devices, and writes one HTML file. An experiment that is about one
/// device runs on that device; one that surveys devices runs once, on all of them together. Where
/// no --device was given, an experiment whose paper names a device runs on that one instead of the
/// default.
int write_report(const ExperimentArguments& arguments, bool device_named,
                 const GlobalOptions& global)
{
    if (arguments.out.empty()) {
        throw bad_input("the report has no file", "experiment report",
                        "add --out, e.g. --out report.html");
    }
    // The work may take hours; a bad name must show before it.
    check_writable(arguments.out);
    std::vector<Experiment> experiments;
    for (const Experiment& experiment : all_experiments()) {
        if (arguments.only.empty()) {
            experiments.push_back(experiment);
        }
    }
    for (const std::string& name : arguments.only) {
        experiments.push_back(find_experiment(name));
    }
    std::vector<DeviceProfile> devices{arguments.device.profile()};
    for (const std::string& name : arguments.devices) {
        devices.push_back(named(name, arguments.device).profile());
    }
    std::vector<std::pair<Experiment, std::vector<DeviceProfile>>> jobs;
    for (const Experiment& experiment : experiments) {
        if (!experiment.only_device.empty()) {
            jobs.push_back(
                {experiment,
                 {named(std::string(experiment.only_device), arguments.device).profile()}});
            continue;
        }
        if (experiment.surveys()) {
            jobs.emplace_back(experiment, devices);
            continue;
        }
        const bool as_in_paper = !device_named && !experiment.paper_device.empty();
        for (std::size_t i = 0; i < devices.size(); ++i) {
            jobs.push_back(
                {experiment,
                 {i == 0 && as_in_paper
                      ? named(std::string(experiment.paper_device), arguments.device).profile()
                      : devices[i]}});
        }
    }
    const Progress progress = make_progress(global);
    std::vector<DoneExperiment> done;
    for (const auto& [experiment, on] : jobs) {
        const Progress part =
            part_progress(progress, done.size(), jobs.size(),
                          fmt::format("{} on {}", experiment.name, profiles_text(on)));
        done.push_back({experiment, profiles_text(on),
                        experiment.surveys() ? experiment.run(on, part, interrupted)
                                             : experiment.run(on.front(), part, interrupted)});
    }
    end_progress(global);
    write_file_atomically(arguments.out, html_experiments(done));
    std::int64_t findings = 0, holding = 0;
    ordered_json list = ordered_json::array();
    for (const DoneExperiment& one : done) {
        for (const Finding& finding : one.result.findings) {
            ++findings;
            holding += finding.verdict == Verdict::holds ? 1 : 0;
        }
        list.push_back({{"experiment", one.experiment.name}, {"device", one.device}});
    }
    if (global.json) {
        ordered_json out = json_result("experiment-report");
        out["file"] = arguments.out;
        out["experiments"] = list;
        out["findings"] = findings;
        out["hold"] = holding;
        print_json(out);
    } else {
        print_text(fmt::format("{} experiments, {} of {} findings hold: {}\n", done.size(), holding,
                               findings, arguments.out));
    }
    return exit_code::done;
}

int run_and_print(const CLI::App& parser, const ExperimentArguments& arguments,
                  const GlobalOptions& global)
{
    if (arguments.target.on.empty()) {
        arguments.target.place.refuse("where nothing is measured");
    }
    if (arguments.name == "list") {
        refuse_options(parser, {"--device", "--set", "--out", "--only", "--also", "--on"},
                       "to experiment list");
        return list_experiments(global);
    }
    if (arguments.name == "report") {
        refuse_options(parser, {"--on"}, "to experiment report");
        return write_report(arguments, parser.count("--device") > 0, global);
    }
    if (arguments.name == "measured-phones") {
        refuse_options(parser, {"--set", "--out", "--only", "--also", "--on"},
                       "to experiment measured-phones");
        MeasuredPhonesArguments phones = arguments.phones;
        phones.device = parser.count("--device") > 0 ? arguments.device.device : "";
        return run_measured_phones(phones, global);
    }
    refuse_options(parser, {"--logs", "--rows", "--judge", "--threads", "--plot"},
                   "to experiment " + arguments.name, "leave it out; it is for measured-phones");
    const Experiment& experiment = find_experiment(arguments.name);
    refuse_options(parser, {"--only", "--also"}, "to experiment " + arguments.name,
                   "leave it out, or use experiment report");
    const std::optional<std::string> simulated = arguments.target.simulated_profile();
    if (!arguments.target.on.empty()) {
        experiment.check_runs_on_devices();
        // Experiments that measure no target simulate by default; a simulated target would be the
        // same.
        if (simulated && !experiment.measures_target()) {
            throw bad_input("the device is simulated anyway", "--on " + arguments.target.on,
                            "leave it out, and use --device " + *simulated);
        }
    }
    DeviceArguments chosen = arguments.device;
    if (!experiment.only_device.empty()) {
        if (parser.count("--device") > 0 && chosen.device != experiment.only_device) {
            throw bad_input(
                "this was measured on another device", "experiment " + arguments.name,
                fmt::format("use --device {}, or leave it out", experiment.only_device));
        }
        chosen = named(std::string(experiment.only_device), chosen);
    } else if (const bool as_in_paper =
                   arguments.target.on.empty() || !experiment.measures_target();
               as_in_paper && !experiment.paper_device.empty() && parser.count("--device") == 0) {
        chosen = named(std::string(experiment.paper_device), chosen);
    }
    // A survey without --device is of all built-in profiles.
    const bool on_all = experiment.surveys() && parser.count("--device") == 0;
    const std::vector<DeviceProfile> devices =
        on_all ? all_devices(chosen) : std::vector{chosen.profile()};
    const DeviceProfile& device = devices.front();
    if (!arguments.out.empty()) { // a bad name is found out before the work
        make_output_folder(arguments.out, "--out");
    }
    const auto run = [&] {
        if (experiment.surveys()) {
            return experiment.run(devices, make_progress(global), interrupted);
        }
        if (arguments.target.on.empty()) {
            return experiment.run(device, make_progress(global), interrupted);
        }
        if (!simulated) {
            return experiment.run_on(arguments.target.on, arguments.target.runner_options(), device,
                                     make_progress(global), interrupted);
        }
        const std::unique_ptr<Target> target = arguments.target.open(global.seed, interrupted);
        return experiment.run(*target, device, make_progress(global), interrupted);
    };
    const ExperimentResult result = run();
    end_progress(global);
    print_result(global, experiment_json(experiment, result, devices),
                 tables_text(result) + "\n" + findings_text(result));
    if (!arguments.out.empty()) {
        write_files(arguments.out, experiment, result, profiles_text(devices));
        print_note(global,
                   fmt::format("{0}.svg, {0}.png, {0}.csv, {0}.txt and {0}.json written to {1}",
                               experiment.name, arguments.out));
    }
    return exit_code::done;
}

} // namespace

Command experiment_command(CLI::App& app, const GlobalOptions& global)
{
    CLI::App* parser =
        app.add_subcommand("experiment", "does a published figure again on a simulated device or, "
                                         "with --on, on a real one, and says which of its findings "
                                         "hold");
    const auto arguments = std::make_shared<ExperimentArguments>();
    parser
        ->add_option("name", arguments->name,
                     "experiment, list, or report: all of them as one HTML file")
        ->required();
    arguments->device.add_to(*parser);
    arguments->target.add_to(*parser);
    CLI::Option* const on = parser->get_option("--on");
    on->description("what runs the kernels and so decides the findings, which --device describes "
                    "(experiment list says of which experiments): " +
                    on->get_description());
    parser->add_option("--out", arguments->out,
                       "folder to write the plot (SVG and PNG), the data (CSV), the findings, and "
                       "all of these as JSON "
                       "to; the file of a report");
    add_repeatable(*parser, "--only", arguments->only,
                   "experiments of a report, else all (repeatable)");
    add_repeatable(*parser, "--also", arguments->devices,
                   "a further device of a report (repeatable)");
    parser->add_option("--logs", arguments->phones.logs,
                       "of measured-phones: a folder or file of AutoTVM's logs");
    parser->add_option("--rows", arguments->phones.rows,
                       "of measured-phones: kernels of a task, drawn at random; 0: all");
    parser
        ->add_option("--judge", arguments->phones.judge,
                     "of measured-phones: model, simulator or both")
        ->check(CLI::IsMember({"model", "simulator", "both"}));
    parser->add_option("--threads", arguments->phones.threads, "of measured-phones: 0: all cores");
    parser->add_option("--plot", arguments->phones.plot,
                       "of measured-phones: F.svg or F.png, predicted over measured times");
    return {parser,
            [&global, parser, arguments] { return run_and_print(*parser, *arguments, global); },
            true};
}

} // namespace texelscope::cli
