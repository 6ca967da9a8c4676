#include "cli/arguments.hpp"
#include "cli/calibration_file.hpp"
#include "cli/terminal.hpp"
#include "devices/compilers/kernel_compiler.hpp"
#include "devices/launch/limits.hpp"
#include "model/tmmodel/kernel_interval.hpp"
#include "workbench/space/pruning_conditions.hpp"
#include "workbench/study/default_variant.hpp"
#include "workbench/study/prediction.hpp"
#include "workbench/study/study.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <memory>
#include <optional>

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

/// Every criterion of `tune --prune` that excludes this very configuration, with the numbers that
/// it compares. Each is asked alone, because pruning stops at the first.
std::vector<Rejection> rejections(const LoopNest& nest, const Schedule& schedule,
                                  const DeviceProfile& device)
{
    const KernelFootprint kernel = kernel_footprint(nest, device);
    std::vector<Rejection> all;
    for (const PruningCriterion criterion : all_pruning_criteria) {
        PruningOptions options;
        options.criteria = {criterion};
        if (auto rejection =
                prune(kernel, schedule.group, schedule.split, pruning_limits(device), options)) {
            all.push_back(std::move(*rejection));
        }
    }
    return all;
}

using Interval = std::optional<KernelInterval>;

/// An interval of the held-out error. It is null for the bottleneck variant, which is not fitted to
/// walks; a high bound that is null is open.
ordered_json json_of(const Interval& interval)
{
    if (!interval) {
        return nullptr;
    }
    return {{"level", interval->level},
            {"low_ns", interval->low.value},
            {"high_ns",
             interval->bounded() ? ordered_json(interval->high.value) : ordered_json(nullptr)},
            {"outside", interval->outside}};
}

std::string text_of(const Interval& interval)
{
    if (!interval) {
        return "no interval: not from calibration";
    }
    if (interval->outside) {
        return "no bounds: outside of what was calibrated";
    }
    const std::string level = fmt::format("{:g} %", 100 * interval->level);
    return interval->bounded()
               ? fmt::format("{} within {} to {}", level, human_time(interval->low.value),
                             human_time(interval->high.value))
               : "no bounds: too few calibrated walks, or held-out times that are positive, for " +
                     level;
}

int predict_and_print(const PredictArguments& arguments, const GlobalOptions& global)
{
    const Operator op = arguments.op.parsed_operator();
    const Schedule schedule = arguments.op.parsed_schedule();
    const DeviceProfile device = arguments.device.profile();
    const LoopNest nest = loop_nest(op, schedule);
    check_limits(nest, device);
    const auto spills = note_spills(global, nest, device);
    const Calibration calibration = arguments.calibration.of(device, global.seed);
    const Prediction prediction = predict(op, schedule, device, calibration, interrupted);
    const VariantChoice choice = !arguments.variant.empty()
                                     ? VariantChoice{parse_model_variant(arguments.variant), {}}
                                     : default_variant(!arguments.calibration.file.empty());
    const ModelVariant variant = choice.variant;
    if (variant != ModelVariant::bottleneck) {
        // TMModel prices reads of images alone.
        note_buffers(global, nest);
    }
    const KernelCost& cost = prediction.cost(variant);

    const KernelIntervals intervals(calibration);
    // The bottleneck variant is computed from the profile, not from calibrated walks.
    const auto interval_of = [&](ModelVariant which) {
        return which == ModelVariant::bottleneck
                   ? Interval{}
                   : intervals.of(prediction.kernel, prediction.cost(which), which);
    };

    const std::vector<Rejection> pruned = rejections(nest, schedule, device);
    const SimulationOptions options = options_for(nest, device);
    const Occupancy at_once = occupancy(options, prediction.kernel.warps_per_group);

    if (global.json) {
        ordered_json out = json_result("predict");
        out["op"] = op.name;
        out["shape"] = op.shape;
        out["config"] = to_string(schedule);
        out["device"] = device.name;
        out["variant"] = to_string(variant);
        out["variant_because"] = choice.why.empty() ? ordered_json() : ordered_json(choice.why);
        ordered_json list = ordered_json::array();
        for (std::size_t i = 0; i < prediction.kernel.inputs.size(); ++i) {
            const ModelKernel::Input& input = prediction.kernel.inputs[i];
            list.push_back({{"image", input.image},
                            {"pattern", input.pattern},
                            {"s", input.warp.s},
                            {"w", input.warp.w},
                            {"L_t", cost.thread[i].value}});
        }
        out["inputs"] = list;
        out["cache_lines"] = prediction.device.cache_lines;
        out["D"] = calibration.thrash.d;
        out["exponent"] = cost.exponent;
        out["L_w"] = cost.warp.value;
        out["occupancy"] = prediction.device.occupancy;
        add_occupancy(out, at_once, options);
        out["registers"] = registers_text(device);
        out["spills"] = json_or_null(spills);
        out["work_groups"] = prediction.kernel.work_groups;
        out["warps_per_group"] = prediction.kernel.warps_per_group;
        out["L_g"] = cost.occupancy_groups;
        out["ns"] = cost.kernel.value;
        out["literal_ns"] = prediction.literal.kernel.value;
        out["refined_ns"] = prediction.refined.kernel.value;
        out["reuse_aware_ns"] = prediction.reuse_aware.kernel.value;
        out["bottleneck_ns"] = prediction.bottleneck.kernel.value;
        out["interval"] = json_of(interval_of(variant));
        out["intervals"] = ordered_json::object();
        for (const ModelVariant each : all_model_variants) {
            out["intervals"][to_string(each)] = json_of(interval_of(each));
        }
        out["confidence"] = prediction.confidence;
        out["pruned_by"] = json_list(pruned, [](const Rejection& rejection) -> ordered_json {
            return {{"criterion", to_string(rejection.criterion)}, {"reason", rejection.reason}};
        });
        out["calibration"] = {{"regression", to_string(calibration.thread.regression)},
                              {"thread",
                               {{"training", to_json(calibration.thread.training)},
                                {"held_out", to_json(calibration.thread.held_out)}}},
                              {"warp",
                               {{"training", to_json(calibration.thrash.training)},
                                {"held_out", to_json(calibration.thrash.held_out)}}}};
        print_json(out);
        return exit_code::done;
    }
    std::vector<Cells> rows;
    for (std::size_t i = 0; i < prediction.kernel.inputs.size(); ++i) {
        const ModelKernel::Input& input = prediction.kernel.inputs[i];
        rows.push_back({input.image, input.pattern, std::to_string(input.warp.s),
                        std::to_string(input.warp.w), count_text(input.histogram.accesses),
                        human_time(cost.thread[i].value)});
    }
    std::string text = fmt::format("{} {} on {}\n\nthread level\n", to_string(op),
                                   to_string(schedule), device.name);
    text += format_table({"image", "pattern", "s", "w", "accesses", "L_t"}, rows);
    text += fmt::format("\nwarp level: exponent {} with C = {} lines, D = {:.3f}: L_w = {}\n",
                        cost.exponent, prediction.device.cache_lines, calibration.thrash.d,
                        human_time(cost.warp.value));
    text += fmt::format("work-group level: {} work-groups of {} warps, occupancy {} (registers "
                        "{}), {} cores: L_g = {}\n",
                        count_text(prediction.kernel.work_groups),
                        prediction.kernel.warps_per_group, prediction.device.occupancy,
                        registers_text(device), prediction.device.cores, cost.occupancy_groups);
    text += fmt::format("  at a time {} of a core, limited by: {}\n", warps_text(at_once),
                        reason(at_once, options));
    text += fmt::format("kernel level ({}{}): {} = {} ({})\n", to_string(variant),
                        choice.why.empty() ? "" : ", " + choice.why,
                        variant == ModelVariant::bottleneck ? "L, of whole and partial waves,"
                                                            : "L = L_w * L_g",
                        human_time(cost.kernel.value), text_of(interval_of(variant)));
    for (const ModelVariant other : all_model_variants) {
        if (other != variant) {
            text += fmt::format("  {}: {} ({})\n", to_string(other),
                                human_time(prediction.cost(other).kernel.value),
                                text_of(interval_of(other)));
        }
    }
    text += fmt::format("confidence: {:.2f} (1: among the calibrated walks; 0.1: ten times as far "
                        "from them as they "
                        "are from each other)\n",
                        prediction.confidence);
    text += "intervals: errors of held-out walks as near to the calibrated ones; what kernels do "
            "otherwise than walks is "
            "not in them\n\n";
    for (const Rejection& rejection : pruned) {
        text += fmt::format("tune --prune would leave it out, {}: {}\n",
                            to_string(rejection.criterion), rejection.reason);
    }
    text += pruned.empty() ? "" : "\n";
    text += "calibrated " + arguments.calibration.origin() + ", " +
            to_string(calibration.thread.regression) + " regression\n";
    text += error_line("beta", calibration.thread.training, calibration.thread.held_out);
    text += error_line("beta, reuse-aware", calibration.reuse_thread.training,
                       calibration.reuse_thread.held_out);
    text += error_line("D", calibration.thrash.training, calibration.thrash.held_out);
    print_text(text);
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
