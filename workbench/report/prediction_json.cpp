#include "workbench/report/prediction_json.hpp"

#include "devices/compilers/kernel_compiler.hpp"
#include "devices/launch/launch_options.hpp"
#include "workbench/report/machine_json.hpp"
#include "workbench/report/prediction_tables.hpp"
#include "workbench/space/pruning_conditions.hpp"
#include "workbench/store/calibration_json.hpp"
#include "workbench/study/prediction_intervals.hpp"
#include "workbench/study/study.hpp"

#include <algorithm>

namespace texelscope::workbench::report {
namespace {

/// null for the variants that have none, as for bounds that are open.
ordered_json interval_json(const std::map<ModelVariant, KernelInterval>& intervals,
                           ModelVariant variant)
{
    const auto found = intervals.find(variant);
    if (found == intervals.end()) {
        return nullptr;
    }
    const KernelInterval& interval = found->second;
    return {
        {"level", interval.level},
        {"low_ns", interval.low.value},
        {"high_ns", interval.bounded() ? ordered_json(interval.high.value) : ordered_json(nullptr)},
        {"outside", interval.outside}};
}

/// The time of that variant: "reuse_aware_ns".
std::string time_member(ModelVariant variant)
{
    std::string name = to_string(variant);
    std::ranges::replace(name, '-', '_');
    return name + "_ns";
}

ordered_json fit_json(const FitError& training, const FitError& held_out)
{
    return {{"training", store::to_json(training)}, {"held_out", store::to_json(held_out)}};
}

} // namespace

ordered_json prediction_json(const PredictedStudy& study)
{
    const ModelKernel& kernel = study.prediction.kernel;
    const Schedule& schedule = study.request.schedule;
    const DeviceProfile& device = study.request.device;
    const Calibration& calibration = study.calibration;
    const KernelCost& cost = study.cost();
    const SimulationOptions options = options_for(study.nest, device);
    ordered_json out;
    out["op"] = study.request.op.name;
    out["shape"] = study.request.op.shape;
    out["config"] = to_string(schedule);
    out["device"] = device.name;
    out["variant"] = to_string(study.variant.variant);
    out["variant_because"] =
        study.variant.why.empty() ? ordered_json() : ordered_json(study.variant.why);
    out["inputs"] = ordered_json::array();
    for (std::size_t i = 0; i < kernel.inputs.size(); ++i) {
        const ModelKernel::Input& input = kernel.inputs[i];
        out["inputs"].push_back({{"image", input.image},
                                 {"pattern", input.pattern},
                                 {"s", input.warp.s},
                                 {"w", input.warp.w},
                                 {"L_t", cost.thread[i].value}});
    }
    out["cache_lines"] = study.prediction.device.cache_lines;
    out["D"] = calibration.thrash.d;
    out["exponent"] = cost.exponent;
    out["L_w"] = cost.warp.value;
    out["occupancy"] = study.prediction.device.occupancy;
    add_occupancy(out, occupancy(options, kernel.warps_per_group), options);
    out["registers"] = registers_text(device);
    out["spills"] = json_or_null(spill_reason(study.nest, device));
    out["work_groups"] = kernel.work_groups;
    out["warps_per_group"] = kernel.warps_per_group;
    out["L_g"] = cost.occupancy_groups;
    out["ns"] = cost.kernel.value;
    for (const ModelVariant each : all_model_variants) {
        out[time_member(each)] = study.prediction.cost(each).kernel.value;
    }
    const bool by_bottleneck = study.variant.variant == ModelVariant::bottleneck;
    out["bound_by"] =
        by_bottleneck ? ordered_json(largest_part(study.parts)->name) : ordered_json();
    out["bounds"] = by_bottleneck ? rows_json(bounds_table(study)) : ordered_json();
    const auto of_variant = intervals(study);
    out["interval"] = interval_json(of_variant, study.variant.variant);
    for (const ModelVariant each : all_model_variants) {
        out["intervals"][to_string(each)] = interval_json(of_variant, each);
    }
    out["confidence"] = study.prediction.confidence;
    out["pruned_by"] =
        json_list(rejections(study.nest, schedule, device), [](const Rejection& rejection) {
            return ordered_json{{"criterion", to_string(rejection.criterion)},
                                {"reason", rejection.reason}};
        });
    out["calibration"] = {
        {"regression", to_string(calibration.thread.regression)},
        {"thread", fit_json(calibration.thread.training, calibration.thread.held_out)},
        {"warp", fit_json(calibration.thrash.training, calibration.thrash.held_out)}};
    return out;
}

} // namespace texelscope::workbench::report
