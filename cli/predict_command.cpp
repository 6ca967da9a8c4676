#include "cli/arguments.hpp"
#include "cli/calibration_file.hpp"
#include "cli/machines_output.hpp"
#include "cli/terminal.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "devices/compilers/kernel_compiler.hpp"
#include "devices/launch/launch_options.hpp"
#include "devices/launch/limits.hpp"
#include "workbench/machines/machines_json.hpp"
#include "workbench/report/prediction_json.hpp"
#include "workbench/report/prediction_tables.hpp"
#include "workbench/space/pruning_conditions.hpp"
#include "workbench/study/prediction_intervals.hpp"
#include "workbench/study/study.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace texelscope::cli {
namespace {

// `predict`: what the analytical model says of one configuration, level by level, by all of its
// variants.
//
// Symbols as in TMModel: of an image, a warp has w distinct thread indices, each of which keeps s
// lines in use. L_t is the latency of a work-item's reads of an image, L_w that of a warp, L_g the
// number of occupancy groups one after the other, and L = L_w L_g.
struct PredictArguments {
    OperatorArguments op;
    DeviceArguments device;
    CalibrationArgument calibration;
    std::string variant; ///< empty: the one that agrees best
};

std::string interval_text(const std::map<ModelVariant, KernelInterval>& intervals,
                          ModelVariant variant)
{
    const auto found = intervals.find(variant);
    if (found == intervals.end()) {
        return "no interval: not from calibration";
    }
    const KernelInterval& interval = found->second;
    if (interval.outside) {
        return "no bounds: outside of what was calibrated";
    }
    const std::string level = fmt::format("{:g} %", 100 * interval.level);
    return interval.bounded()
               ? fmt::format("{} within {} to {}", level, human_time(interval.low.value),
                             human_time(interval.high.value))
               : "no bounds: too few calibrated walks, or held-out times that are positive, for " +
                     level;
}

std::string prediction_text(const PredictedStudy& study, const std::string& calibrated)
{
    const auto& [variant, why] = study.variant;
    const Prediction& prediction = study.prediction;
    const Calibration& calibration = study.calibration;
    const DeviceProfile& device = study.request.device;
    const KernelCost& cost = study.cost();
    const auto of_variant = intervals(study);
    std::string text = fmt::format("{} {} on {}\n\nthread level\n", to_string(study.request.op),
                                   to_string(study.request.schedule), device.name);
    text += format_table(inputs_table(study));
    text += fmt::format("\nwarp level: exponent {} with C = {} lines, D = {:.3f}: L_w = {}\n",
                        cost.exponent, prediction.device.cache_lines, calibration.thrash.d,
                        human_time(cost.warp.value));
    text += fmt::format("work-group level: {} work-groups of {} warps, occupancy {} (registers "
                        "{}), {} cores: L_g = {}\n",
                        count_text(prediction.kernel.work_groups),
                        prediction.kernel.warps_per_group, prediction.device.occupancy,
                        registers_text(device), prediction.device.cores, cost.occupancy_groups);
    const SimulationOptions options = options_for(study.nest, device);
    const Occupancy at_once = occupancy(options, prediction.kernel.warps_per_group);
    text += fmt::format("  at a time {} of a core, limited by: {}\n", warps_text(at_once),
                        reason(at_once, options));
    text += fmt::format(
        "kernel level ({}{}): {} = {} ({})\n", to_string(variant), why.empty() ? "" : ", " + why,
        variant == ModelVariant::bottleneck ? "L, of whole and partial waves," : "L = L_w * L_g",
        human_time(cost.kernel.value), interval_text(of_variant, variant));
    for (const ModelVariant other : all_model_variants) {
        if (other != variant) {
            text += fmt::format("  {}: {} ({})\n", to_string(other),
                                human_time(prediction.cost(other).kernel.value),
                                interval_text(of_variant, other));
        }
    }
    text += fmt::format("confidence: {:.2f} (1: among the calibrated walks; 0.1: ten times as far "
                        "from them as they "
                        "are from each other)\n",
                        prediction.confidence);
    text += "intervals: errors of held-out walks as near to the calibrated ones; what kernels do "
            "otherwise than walks is "
            "not in them\n\n";
    const std::vector<Rejection> pruned = rejections(study.nest, study.request.schedule, device);
    for (const Rejection& rejection : pruned) {
        text += fmt::format("tune --prune would leave it out, {}: {}\n",
                            to_string(rejection.criterion), rejection.reason);
    }
    text += pruned.empty() ? "" : "\n";
    text += "calibrated " + calibrated + ", " + to_string(calibration.thread.regression) +
            " regression\n";
    text += error_line("beta", calibration.thread.training, calibration.thread.held_out);
    text += error_line("beta, reuse-aware", calibration.reuse_thread.training,
                       calibration.reuse_thread.held_out);
    return text + error_line("D", calibration.thrash.training, calibration.thrash.held_out);
}

int predict_and_print(const PredictArguments& arguments, const GlobalOptions& global)
{
    StudyRequest request{.op = arguments.op.parsed_operator(),
                         .schedule = arguments.op.parsed_schedule(),
                         .device = arguments.device.profile(),
                         .seed = global.seed};
    const LoopNest nest = loop_nest(request.op, request.schedule);
    check_limits(nest, request.device);
    note_spills(global, nest, request.device);
    const VariantChoice choice = arguments.calibration.variant(arguments.variant);
    if (choice.variant != ModelVariant::bottleneck) {
        note_buffers(global, nest);
    }
    Calibration calibration = arguments.calibration.of(request.device, global.seed);
    const PredictedStudy study =
        predict_study(std::move(request), std::move(calibration), choice, interrupted);
    const auto machines = machines_of(study.request.device);
    const OverMachinesOutput over =
        machines ? predicted_over_machines(*machines, study.request.device, study.request.op,
                                           study.request.schedule)
                 : OverMachinesOutput{};
    if (global.json) {
        ordered_json json = json_result("predict", prediction_json(study));
        if (machines) {
            json["over_machines"] = over.json;
        }
        print_json(json);
    } else {
        print_text(prediction_text(study, arguments.calibration.origin()) + over.text);
    }
    return exit_code::done;
}

} // namespace

Command predict_command(CLI::App& app, const GlobalOptions& global)
{
    CLI::App* parser =
        app.add_subcommand("predict", "model cost of one configuration, level by level");
    const auto arguments = std::make_shared<PredictArguments>();
    arguments->op.add_to(*parser, true);
    arguments->device.add_to(*parser);
    arguments->device.add_registers_to(*parser);
    arguments->calibration.add_to(*parser);
    add_variant(*parser, arguments->variant);
    return {parser, [&global, arguments] { return predict_and_print(*arguments, global); }, true};
}

} // namespace texelscope::cli
