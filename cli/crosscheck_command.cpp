#include "base/atomic_file.hpp"
#include "cli/arguments.hpp"
#include "cli/calibration_file.hpp"
#include "cli/fit_argument.hpp"
#include "cli/machines_output.hpp"
#include "cli/place_arguments.hpp"
#include "cli/terminal.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "devices/compilers/kernel_compiler.hpp"
#include "devices/launch/limits.hpp"
#include "workbench/machines/machines_json.hpp"
#include "workbench/report/crosscheck_json.hpp"
#include "workbench/report/report.hpp"
#include "workbench/store/known_runs.hpp"
#include "workbench/store/result_files.hpp"
#include "workbench/study/study.hpp"
#include "workbench/tuning/model_descent.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <memory>

namespace texelscope::cli {
namespace {

struct CrosscheckArguments {
    OperatorArguments op;
    DeviceArguments device;
    CalibrationArgument calibration;
    std::string on = "pocl";
    PlaceArguments place;
    std::string measured; ///< a file of runs made before; empty: kernels are run
    FitArgument fit;
    std::string report;
    bool brief = false;
    std::string variant; ///< empty: the one that agrees best
    CrosscheckOptions options;
};

std::string optional_text(const std::optional<double>& value, double factor, const char* unit)
{
    return value ? fmt::format("{:.2f}{}", *value * factor, unit) : "-";
}

/// Every configuration with the times of all three judges; --brief leaves this table out.
std::string rows_table(const CrosscheckResult& result)
{
    std::vector<Cells> rows;
    for (const CrosscheckRow& row : result.rows) {
        rows.push_back(
            {to_string(row.schedule), human_time(row.predicted.value),
             human_time(row.simulated.value),
             row.measured ? measured_time(row.measured->value, row.wall_clock) : "-",
             output_text(row) +
                 (row.checked && row.arithmetic == Precision::fp16 ? ", in half precision" : "")});
    }
    return format_table({"configuration", "predicted", "simulated", "measured", "output"}, rows) +
           "\n";
}

/// What each judge would take, and why.
std::string choices_text(const JudgedConfigurations& judged)
{
    const CrosscheckResult& result = judged.crosscheck;
    const JudgeChoices& choices = judged.choices;
    std::vector<Cells> taken;
    std::string why;
    for (const JudgeChoice& choice : choices.by_judge) {
        const CrosscheckRow& row = result.rows[choice.row];
        taken.push_back(
            {to_string(choice.judge), to_string(row.schedule), human_time(row.predicted.value),
             human_time(row.simulated.value),
             row.measured ? measured_time(row.measured->value, row.wall_clock) : "-",
             choice.over_best == 0.0 ? "best" : optional_text(choice.over_best, 100, " %"),
             choice.alike > 1 ? count_text(static_cast<std::int64_t>(choice.alike)) : ""});
        const auto first = std::ranges::find(choices.by_judge, choice.row, &JudgeChoice::row);
        if (first->judge == choice.judge) { // not what another judge takes as well
            why += fmt::format("{}: {}\n", to_string(choice.judge),
                               facts_text(choices.facts.at(choice.row)));
        }
        const auto apart = [&](const std::string& words, std::size_t one, std::size_t other) {
            if (!differences(choices.facts.at(one), choices.facts.at(other)).empty()) {
                why += fmt::format("{}: {}\n", words, apart_text(choices, one, other));
            }
        };
        if (choice.second) {
            apart(to_string(choice.judge) + "'s second, " +
                      to_string(result.rows[*choice.second].schedule),
                  *choice.second, choice.row);
        }
        if (choices.in_use && *choices.in_use != choice.row) {
            apart(to_string(choice.judge) + "'s choice against the one in use", choice.row,
                  *choices.in_use);
        }
    }
    return format_table(
               {"judge", "would take", "predicted", "simulated", "measured", "over best", "alike"},
               taken) +
           "\n" + why + "\n";
}

std::string crosscheck_text(const JudgedConfigurations& judged, bool brief, const Operator& op,
                            const DeviceProfile& profile, const std::optional<std::string>& ran_on)
{
    const CrosscheckResult& result = judged.crosscheck;
    const std::optional<std::string> note = unlike_note(result);
    const VariantChoice& variant = result.variant;
    std::string text =
        (note ? *note + "\n" : "") +
        fmt::format("{}: model and simulator of {}, registers {}, runs on {}\n{}; model: {}{}\n\n",
                    to_string(op), profile.name, registers_text(profile),
                    ran_on.value_or("no device"), rows_text(result), to_string(variant.variant),
                    variant.why.empty() ? "" : " (" + variant.why + ")");
    text += brief ? "" : rows_table(result);
    text += judged.choices.by_judge.empty() ? "" : choices_text(judged);
    text += format_table(
        {"judge against truth", "Kendall tau", "regret"}, result.pairs, [](const JudgePair& pair) {
            return Cells{pair.name(" against "), optional_text(pair.kendall, 1, ""),
                         optional_text(pair.regret, 100, " %")};
        });
    const auto passed = std::count_if(result.rows.begin(), result.rows.end(),
                                      [](const CrosscheckRow& row) { return row.checked; });
    return text + (ran_on ? fmt::format("\n{} of {} outputs agree with the reference\n", passed,
                                        result.rows.size())
                          : std::string("\nnothing was run, so no output was checked\n"));
}

int crosscheck_and_print(const CrosscheckArguments& arguments, const GlobalOptions& global)
{
    const Operator op = arguments.op.parsed_operator();
    const Progress progress = make_progress(global);
    std::optional<OpenClDevice> device;
    if (arguments.on != "none" && arguments.measured.empty()) {
        device.emplace(arguments.on, arguments.place.runner_options());
    } else {
        arguments.place.refuse("where nothing is run");
    }
    const DeviceProfile profile =
        arguments.fit.of(arguments.device.profile(), device ? &*device : nullptr, global);
    const std::optional<KnownRuns> known =
        arguments.measured.empty() ? std::nullopt
                                   : std::optional(known_runs(read_results(arguments.measured), op,
                                                              profile, arguments.measured));
    const auto ran_on = device  ? std::optional(device->info().name)
                        : known ? std::optional(known->device + " (an earlier run)")
                                : std::nullopt;
    const std::string device_name = ran_on.value_or("no device");
    CrosscheckOptions options = arguments.options;
    options.seed = global.seed;
    std::optional<Schedule> in_use;
    if (!arguments.op.config.empty()) {
        in_use = arguments.op.parsed_schedule();
        check_limits(loop_nest(op, *in_use), profile);
        // The configuration in use is always judged, so that each judge's choice can be compared
        // with it.
        options.first.push_back(*in_use);
    }
    if (!arguments.variant.empty()) {
        options.variant = parse_model_variant(arguments.variant);
    }
    options.calibrated = !arguments.calibration.file.empty();
    if (progress) {
        progress("calibrating", 0);
    }
    const Calibration calibration = arguments.calibration.of(profile, global.seed);
    if (!known) {
        // Known runs cannot be added to; otherwise some rows are the model's best of the whole
        // space, not only of the parts that are searched by default.
        const auto found =
            first_over_all_parts(op, profile, calibration, options.model_variant().variant,
                                 options.over_all_parts(), {}, interrupted);
        options.first.insert(options.first.end(), found.begin(), found.end());
    }
    JudgedConfigurations judged;
    CrosscheckResult& result = judged.crosscheck;
    result =
        known ? crosscheck_known(op, profile, calibration, *known, options, progress, interrupted)
              : crosscheck(op, profile, calibration, device ? &*device : nullptr, options, progress,
                           interrupted);
    try {
        if (!result.interrupted) {
            judged.choices =
                judge_choices(op, profile, calibration, result, in_use, progress, interrupted);
        }
        // The rows are complete and worth printing, although the choices could not be explained.
    } catch (const Interrupted&) {
        result.interrupted = true;
    }
    end_progress(global);
    ordered_json json =
        json_result("crosscheck", crosscheck_json(judged, op, profile, device_name));
    const auto machines = machines_of(profile);
    const OverMachinesOutput over = machines && !result.interrupted
                                        ? crosschecked_over_machines(*machines, profile, op, result)
                                        : OverMachinesOutput{};
    if (!over.json.is_null()) {
        json["over_machines"] = over.json;
    }
    print_result(global, json,
                 crosscheck_text(judged, arguments.brief, op, profile, ran_on) + over.text);
    if (!arguments.report.empty() && !result.interrupted) {
        // The report explains the configuration given, or the one that the model would take.
        const Schedule schedule =
            in_use ? *in_use : result.rows[judged.choices.by_judge.front().row].schedule;
        const StudyResult study = run_study(
            {op, schedule, profile, global.seed, true, result.variant.variant, calibration},
            progress, interrupted);
        end_progress(global);
        write_file_atomically(arguments.report, html_report(study, judged, device_name));
        print_note(global, "report written to " + arguments.report);
    }
    if (result.interrupted) {
        throw Interrupted{};
    }
    const bool all_checked = std::all_of(result.rows.begin(), result.rows.end(),
                                         [](const CrosscheckRow& row) { return row.checked; });
    // A wrong output is a failed check; without a device there was nothing to check.
    return !device || all_checked ? exit_code::done : exit_code::check_failed;
}

} // namespace

Command crosscheck_command(CLI::App& app, const GlobalOptions& global)
{
    CLI::App* parser =
        app.add_subcommand("crosscheck", "model, simulator and device on the same configurations");
    const auto arguments = std::make_shared<CrosscheckArguments>();
    arguments->op.add_to(*parser, true);
    arguments->device.add_to(*parser);
    arguments->device.add_registers_to(*parser);
    arguments->calibration.add_to(*parser);
    parser->add_option(
        "--on", arguments->on,
        "OpenCL device: index, part of a name, or none to compare model and simulator alone");
    arguments->place.add_to(*parser);
    parser
        ->add_option("--samples", arguments->options.samples,
                     "configurations: half of them the model's best, half drawn at random")
        ->check(CLI::Range(2, 1000000));
    add_variant(*parser, arguments->variant);
    CLI::Option* measured = parser->add_option("--measured", arguments->measured,
                                               "instead of running kernels: a file of runs made "
                                               "before, by run --json or results export --csv");
    measured->excludes("--on")->excludes("--agent")->excludes("--opencl");
    parser->add_flag("--brief", arguments->brief,
                     "the judges' choices and agreement, without each configuration");
    arguments->fit.add_to(*parser);
    parser->add_option("--report", arguments->report, "writes a self-contained HTML report");
    return {parser, [&global, arguments] { return crosscheck_and_print(*arguments, global); },
            true};
}

} // namespace texelscope::cli
