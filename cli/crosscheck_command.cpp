#include "base/atomic_file.hpp"
#include "cli/arguments.hpp"
#include "cli/calibration_file.hpp"
#include "cli/fit_argument.hpp"
#include "cli/terminal.hpp"
#include "devices/compilers/kernel_compiler.hpp"
#include "experiments/report/report.hpp"
#include "experiments/study/crosscheck.hpp"

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
    FitArgument fit;
    std::string report;
    std::string variant; ///< empty: the one that agrees best
    CrosscheckOptions options;
};

ordered_json optional_json(const std::optional<double>& value)
{
    return value ? ordered_json(*value) : ordered_json();
}

std::string optional_text(const std::optional<double>& value, double factor, const char* unit)
{
    return value ? fmt::format("{:.2f}{}", *value * factor, unit) : "-";
}

ordered_json crosscheck_json(const CrosscheckResult& result, const DeviceProfile& profile, const std::string& device)
{
    ordered_json out = json_result("crosscheck");
    out["device"] = profile.name;
    out["registers"] = registers_text(profile);
    out["on"] = device;
    out["like_with_like"] = json_or_null(result.like_with_like);
    out["note"] = json_or_null(unlike_note(result));
    out["variant"] = to_string(result.variant.variant);
    out["variant_because"] = result.variant.why.empty() ? ordered_json() : ordered_json(result.variant.why);
    out["space"] = result.space;
    out["rows"] = json_list(result.rows, [](const CrosscheckRow& row) -> ordered_json {
        return {{"config", to_string(row.schedule)},
                {"predicted_ns", row.predicted.value},
                {"simulated_ns", row.simulated.value},
                {"measured_ns", row.measured ? ordered_json(row.measured->value) : ordered_json()},
                {"wall_clock", row.wall_clock},
                {"arithmetic", row.measured ? ordered_json(to_string(row.arithmetic)) : ordered_json()},
                {"checked", row.checked},
                {"reason", row.reason}};
    });
    out["kendall"] = {{"model_simulator", optional_json(result.kendall.model_simulator)},
                      {"model_device", optional_json(result.kendall.model_device)},
                      {"simulator_device", optional_json(result.kendall.simulator_device)}};
    out["regret"] = {{"model_on_simulator", optional_json(result.regret.model_on_simulator)},
                     {"model_on_device", optional_json(result.regret.model_on_device)},
                     {"simulator_on_device", optional_json(result.regret.simulator_on_device)}};
    return out;
}

std::string crosscheck_text(const CrosscheckResult& result, const Operator& op, const DeviceProfile& profile,
                            const std::string& device)
{
    std::vector<Cells> rows;
    for (const CrosscheckRow& row : result.rows) {
        rows.push_back({to_string(row.schedule), human_time(row.predicted.value), human_time(row.simulated.value),
                        row.measured ? measured_time(row.measured->value, row.wall_clock) : "-",
                        !row.checked                        ? row.reason
                        : row.arithmetic == Precision::fp16 ? "passed, in half precision"
                                                            : "passed"});
    }
    const std::optional<std::string> note = unlike_note(result);
    const VariantChoice& variant = result.variant;
    std::string text =
        (note ? *note + "\n" : "") +
        fmt::format("{}: model and simulator of {}, registers {}, runs on {}\n{} of {} configurations; model: {}{}\n\n",
                    to_string(op), profile.name, registers_text(profile), device, result.rows.size(),
                    count_text(result.space), to_string(variant.variant),
                    variant.why.empty() ? "" : " (" + variant.why + ")");
    text += format_table({"configuration", "predicted", "simulated", "measured", "output"}, rows);
    text += "\n" + format_table({"judge against truth", "Kendall tau", "regret"},
                                {{"model against simulator", optional_text(result.kendall.model_simulator, 1, ""),
                                  optional_text(result.regret.model_on_simulator, 100, " %")},
                                 {"model against device", optional_text(result.kendall.model_device, 1, ""),
                                  optional_text(result.regret.model_on_device, 100, " %")},
                                 {"simulator against device", optional_text(result.kendall.simulator_device, 1, ""),
                                  optional_text(result.regret.simulator_on_device, 100, " %")}});
    const auto passed =
        std::count_if(result.rows.begin(), result.rows.end(), [](const CrosscheckRow& row) { return row.checked; });
    const bool ran = std::any_of(result.rows.begin(), result.rows.end(), [](const CrosscheckRow& row) {
        return row.measured.has_value() || !row.reason.empty();
    });
    return text + (ran ? fmt::format("\n{} of {} outputs agree with the reference\n", passed, result.rows.size())
                       : std::string("\nnothing was run, so no output was checked\n"));
}

int crosscheck_and_print(const CrosscheckArguments& arguments, const GlobalOptions& global)
{
    const Operator op = arguments.op.parsed_operator();
    const Progress progress = make_progress(global);
    std::optional<OpenClDevice> device;
    if (arguments.on != "none") {
        device.emplace(arguments.on);
    }
    const DeviceProfile profile = arguments.fit.of(arguments.device.profile(), device ? &*device : nullptr, global);
    const std::string device_name = device ? device->info().name : "no device";
    CrosscheckOptions options = arguments.options;
    options.seed = global.seed;
    if (!arguments.op.config.empty()) {
        options.first = arguments.op.parsed_schedule();
        check_limits(loop_nest(op, *options.first), profile);
    }
    if (!arguments.variant.empty()) {
        options.variant = parse_model_variant(arguments.variant);
    }
    options.calibrated = !arguments.calibration.file.empty();
    if (progress) {
        progress("calibrating", 0);
    }
    const Calibration calibration = arguments.calibration.of(profile, global.seed);
    const CrosscheckResult result =
        crosscheck(op, profile, calibration, device ? &*device : nullptr, options, progress, interrupted);
    end_progress(global);
    print_result(global, crosscheck_json(result, profile, device_name),
                 crosscheck_text(result, op, profile, device_name));
    if (!arguments.report.empty() && !result.interrupted) {
        // The report explains the configuration given, or the one that the model likes best.
        const Schedule schedule = result.rows.front().schedule;
        const StudyResult study = run_study(
            {op, schedule, profile, global.seed, true, result.variant.variant, calibration}, progress, interrupted);
        end_progress(global);
        write_file_atomically(arguments.report, html_report(study, result, device_name));
        print_note(global, "report written to " + arguments.report);
    }
    if (result.interrupted) {
        throw Interrupted{};
    }
    const bool all_checked =
        std::all_of(result.rows.begin(), result.rows.end(), [](const CrosscheckRow& row) { return row.checked; });
    return !device || all_checked ? exit_code::done : exit_code::check_failed;
}

} // namespace

Command crosscheck_command(CLI::App& app, const GlobalOptions& global)
{
    CLI::App* parser = app.add_subcommand("crosscheck", "model, simulator and device on the same configurations");
    const auto arguments = std::make_shared<CrosscheckArguments>();
    arguments->op.add_to(*parser, true);
    arguments->device.add_to(*parser);
    arguments->device.add_registers_to(*parser);
    arguments->calibration.add_to(*parser);
    parser->add_option("--on", arguments->on,
                       "OpenCL device: index, part of a name, or none to compare model and simulator alone");
    parser
        ->add_option("--samples", arguments->options.samples,
                     "configurations: half of them the model's best, half drawn at random")
        ->check(CLI::Range(2, 1000000));
    add_variant(*parser, arguments->variant);
    arguments->fit.add_to(*parser);
    parser->add_option("--report", arguments->report, "writes a self-contained HTML report");
    return {parser, [&global, arguments] { return crosscheck_and_print(*arguments, global); }, true};
}

} // namespace texelscope::cli
