#include "workbench/network_studies/arena_search.hpp"

#include "base/error.hpp"
#include "networks/plan/arena_plan.hpp"
#include "workbench/network_studies/kernel_kinds.hpp"
#include "workbench/network_studies/network_prediction.hpp"

#include <algorithm>
#include <utility>

namespace texelscope::workbench::network_studies {

networks::ArenaRules arena_rules(const DeviceProfile& profile, std::int32_t row_multiple,
                                 const devices::OpenClDevice* on)
{
    networks::ArenaRules rules;
    rules.row_multiple = row_multiple;
    rules.widest = profile.limits.image_width;
    rules.highest = profile.limits.image_height;
    if (on != nullptr) {
        // What the device that runs it asks for comes first; images may be no larger than either
        // allows.
        const networks::ArenaRules asked = networks::arena_rules(on->info());
        rules.alignment = asked.alignment;
        rules.row_multiple = asked.row_multiple;
        rules.widest = std::min(rules.widest, asked.widest);
        rules.highest = std::min(rules.highest, asked.highest);
    }
    return rules;
}

void use_arena(PredictedPlan& planned, const networks::ArenaRules& rules,
               const DeviceProfile& device, const NetworkSearchOptions& options,
               const Progress& progress, const StopToken& stop)
{
    networks::Plan plan = networks::in_arena(std::move(planned.plan), rules);
    KernelKinds kinds(
        plan, device,
        [&](const networks::PlannedKernel&) { return KernelChoices{.parts = options.parts}; },
        stop);
    const std::size_t kernels = plan.kernels.size();
    PredictedPlan found =
        settled(plan, kinds, device, 0, [&](std::size_t k, const codegen::GivenLayouts& layouts) {
            tell(progress, "searching kernels in the arena", k, kernels);
            KernelSearch& kind = kinds.of(k);
            return kind.descend({plan.kernels[k].schedule, layouts}, kind.problem().knobs());
        });
    // Schedules that were changed may ask for other gaps of zeros, so values are placed once more.
    found.plan = networks::in_arena(std::move(found.plan), rules);
    found.searched += planned.searched;
    found.evaluated += planned.evaluated;
    // Only now is it known what has to be cleared, which is part of the time.
    const std::vector<KernelPrediction> predictions =
        predict_network(found.plan, device, progress, stop);
    for (std::size_t k = 0; k < kernels; ++k) {
        const auto time = predictions[k].time();
        if (!time) {
            throw bad_input(predictions[k].why_not,
                            found.plan.kernels[k].kernel.op.name + " in an arena");
        }
        found.predicted[k] = *time;
    }
    planned = std::move(found);
}

} // namespace texelscope::workbench::network_studies
