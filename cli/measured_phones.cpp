#include "cli/measured_phones.hpp"

#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "base/number_text.hpp"
#include "base/printable_text.hpp"
#include "cli/arguments.hpp"
#include "cli/terminal.hpp"
#include "devices/profile/device_profile.hpp"
#include "experiments/phones/measured_phones.hpp"
#include "experiments/phones/phone_plot.hpp"
#include "workbench/kernel_logs/log_folder.hpp"
#include "workbench/kernel_logs/measured_tasks.hpp"
#include "workbench/phones/phone_tasks.hpp"
#include "workbench/plots/png.hpp"
#include "workbench/store/result_files.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace texelscope::cli {
namespace {

using namespace workbench::kernel_logs;

std::optional<DeviceProfile> profile_or_none(const std::string& name)
{
    const std::vector<std::string> names = profile_names();
    const bool file = name.ends_with(".xml");
    return file || std::ranges::find(names, name) != names.end() ? std::optional(find_profile(name))
                                                                 : std::nullopt;
}

ordered_json agreement_json(const PhoneAgreement& agreement,
                            const std::vector<PhoneResidual>& residuals)
{
    ordered_json out{{"tau", agreement.tau ? ordered_json(*agreement.tau) : ordered_json()},
                     {"choice", agreement.choice},
                     {"best_of_ten", agreement.ten},
                     {"error", agreement.error}};
    if (!residuals.empty()) {
        out["residuals"] = json_list(residuals, [](const PhoneResidual& residual) {
            return ordered_json{{"trait", residual.trait},
                                {"kernels", residual.kernels},
                                {"with", residual.with},
                                {"without", residual.without}};
        });
    }
    return out;
}

ordered_json task_json(const PhoneTask& task)
{
    ordered_json out{
        {"device", task.device},         {"task", task.task},         {"shape", task.op},
        {"dtype", task.dtype},           {"measured", task.measured}, {"rows", task.rows},
        {"clock", to_string(task.clock)}};
    if (task.model) {
        out["model"] = agreement_json(*task.model, task.model_residuals);
    }
    if (task.simulator) {
        out["simulator"] = agreement_json(*task.simulator, task.simulator_residuals);
    }
    out["coverage"] = task.coverage ? ordered_json(*task.coverage) : ordered_json();
    out["baselines"] = ordered_json::object();
    for (const PhoneBaseline& baseline : task.baselines) {
        out["baselines"][baseline.name] = agreement_json(baseline.agreement, {});
    }
    return out;
}

ordered_json layer_json(const PhoneLayer& layer)
{
    ordered_json out{{"device", layer.device},
                     {"task", layer.task},
                     {"shape", layer.op},
                     {"dtype", layer.dtype},
                     {"measured_ns", layer.measured_ns},
                     {"copies_ns", layer.judged.copies_ns}};
    if (layer.judged.model_ns > 0) {
        out["model_ns"] = layer.judged.model_ns;
    }
    if (layer.judged.simulator_ns > 0) {
        out["simulator_ns"] = layer.judged.simulator_ns;
    }
    return out;
}

ordered_json ratios_json(const PhoneRatios& ratios)
{
    return {{"device", ratios.device},
            {"judge", ratios.judge},
            {"layers", ratios.layers},
            {"low", ratios.low},
            {"median", ratios.median},
            {"high", ratios.high},
            {"within_twice", ratios.within_twice}};
}

ordered_json phones_json(const MeasuredPhones& phones)
{
    ordered_json out = json_result("measured-phones");
    out["lines"] = phones.lines;
    out["tasks"] = json_list(phones.tasks, task_json);
    out["ratios"] = json_list(phones.ratios, ratios_json);
    out["layers"] = json_list(phones.layers, layer_json);
    out["left_out"] = ordered_json::object();
    for (const auto& [reason, rows] : phones.left_out) {
        out["left_out"][reason] = rows;
    }
    return out;
}

std::string agreement_text(const std::optional<PhoneAgreement>& agreement)
{
    if (!agreement) {
        return "-";
    }
    return fmt::format("{} {:.2f} {:.2f} {:.0f} %",
                       agreement->tau ? fmt::format("{:.2f}", *agreement->tau) : "-",
                       agreement->choice, agreement->ten, 100 * agreement->error);
}

/// The kernels that are judged most unlike the others of their task.
std::string residuals_text(const MeasuredPhones& phones)
{
    constexpr std::size_t most = 3; // of a task
    constexpr double unlike = 1.1;
    std::vector<Cells> rows;
    const auto add = [&](const PhoneTask& task, const char* judge,
                         const std::vector<PhoneResidual>& residuals) {
        for (std::size_t i = 0; i < std::min(most, residuals.size()); ++i) {
            const PhoneResidual& residual = residuals[i];
            const double ratio = residual.with / residual.without;
            if (std::max(ratio, 1 / ratio) >= unlike) {
                rows.push_back({judge, task.device, task.op, task.dtype, residual.trait,
                                fmt::format("{} of {}", residual.kernels, task.rows),
                                fmt::format("{:.2f}", residual.with),
                                fmt::format("{:.2f}", residual.without)});
            }
        }
    };
    for (const PhoneTask& task : phones.tasks) {
        add(task, "model", task.model_residuals);
        add(task, "simulator", task.simulator_residuals);
    }
    return rows.empty() ? ""
                        : "Where judges err: judged over measured, medians of the kernels that "
                          "have something in common and of the others\n" +
                              format_table({"judge", "device", "operator", "numbers",
                                            "kernels with", "how many", "with", "without"},
                                           rows) +
                              "\n";
}

std::string phones_text(const MeasuredPhones& phones)
{
    std::vector<Cells> rows;
    for (const PhoneTask& task : phones.tasks) {
        Cells cells{task.device,
                    task.op,
                    task.dtype,
                    to_string(task.clock),
                    std::to_string(task.rows),
                    agreement_text(task.model),
                    task.coverage ? fmt::format("{:.0f} %", 100 * *task.coverage) : "-",
                    agreement_text(task.simulator)};
        for (const char* const name : {"reads", "arithmetic", "ridge"}) {
            const auto found = std::ranges::find(task.baselines, name, &PhoneBaseline::name);
            cells.push_back(found == task.baselines.end() ? "-" : agreement_text(found->agreement));
        }
        rows.push_back(std::move(cells));
    }
    std::string text;
    if (!rows.empty()) {
        text =
            "Kendall's tau, time of the first choice over the best, of the best of the first ten, "
            "median error of times;\ninside: measured times within the 80 % interval of the "
            "device's machines\n" +
            format_table({"device", "operator", "numbers", "clock", "kernels", "model", "inside",
                          "simulator", "reads", "arithmetic", "ridge"},
                         rows) +
            "\n";
    }
    text += residuals_text(phones);
    rows.clear();
    for (const PhoneRatios& ratios : phones.ratios) {
        rows.push_back({ratios.device, ratios.judge, std::to_string(ratios.layers),
                        fmt::format("{:.2f}", ratios.low), fmt::format("{:.2f}", ratios.median),
                        fmt::format("{:.2f}", ratios.high),
                        fmt::format("{:.0f} %", 100 * ratios.within_twice)});
    }
    if (!rows.empty()) {
        text += "Best kernels of networks' layers, judged over measured\n" +
                format_table({"device", "judge", "layers", "10 %", "median", "90 %", "within 2x"},
                             rows) +
                "\n";
    }
    text += fmt::format("{} lines; left out:\n", count_text(phones.lines));
    for (const auto& [reason, count] : phones.left_out) {
        text += fmt::format("{:>8}  {}\n", count_text(count), printable(reason));
    }
    return text;
}

/// The tasks of all logs below a path, and of files of results, as `phone` writes them.
MeasuredTasks tasks_below(const MeasuredPhonesArguments& arguments)
{
    LogFolder folder = read_logs(arguments.logs, arguments.device);
    std::vector<StoredResult> results;
    std::erase_if(folder.others, [&](const std::string& file) {
        try {
            const std::vector<StoredResult> some = read_results(file);
            results.insert(results.end(), some.begin(), some.end());
            return true;
        } catch (const Error&) {
            return false; // not of results either: it is counted
        }
    });
    MeasuredTasks tasks = measured_tasks(folder);
    tasks.rows += std::ssize(results);
    for (MeasuredTask& task :
         workbench::phones::tasks_of_results(results, arguments.device, tasks.left_out)) {
        tasks.histories.push_back(std::move(task));
    }
    return tasks;
}

} // namespace

int run_measured_phones(const MeasuredPhonesArguments& arguments, const GlobalOptions& global)
{
    if (arguments.logs.empty()) {
        throw bad_input("no logs are given", "experiment measured-phones",
                        "git clone https://github.com/octoml/qualcomm, and give --logs FOLDER");
    }
    if (!arguments.plot.empty() && !arguments.plot.ends_with(".svg") &&
        !arguments.plot.ends_with(".png")) {
        throw bad_input("'" + arguments.plot + "' is neither .svg nor .png", "--plot",
                        "choose one of these endings");
    }
    if (!arguments.device.empty()) {
        (void)find_profile(arguments.device); // a bad name is found out before the work
    }
    const MeasuredTasks tasks = tasks_below(arguments);
    PhoneOptions options;
    options.judges.model = arguments.judge != "simulator";
    options.judges.simulator = arguments.judge != "model";
    options.rows = arguments.rows;
    options.seed = global.seed;
    options.threads = static_cast<int>(arguments.threads);
    options.profile = profile_or_none;
    const MeasuredPhones phones =
        measured_phones(tasks, options, make_progress(global), interrupted);
    end_progress(global);
    if (!arguments.plot.empty()) {
        namespace plots = workbench::plots;
        constexpr double pixels_per_unit = 2;
        const plots::Drawing drawing = draw(phone_plot(phones));
        write_file_atomically(arguments.plot,
                              arguments.plot.ends_with(".png")
                                  ? plots::to_png(plots::to_picture(drawing, pixels_per_unit))
                                  : plots::to_svg(drawing, "Kernels measured on phones"));
    }
    print_result(global, phones_json(phones), phones_text(phones));
    return exit_code::done;
}

} // namespace texelscope::cli
