#include "experiments/networks/arena_search.hpp"

#include "base/error.hpp"
#include "experiments/networks/kernel_kinds.hpp"
#include "experiments/networks/network_prediction.hpp"
#include "networks/plan/arena_plan.hpp"

#include <utility>

namespace texelscope::experiments {

void use_arena(PredictedPlan& planned, const networks::ArenaRules& rules, const DeviceProfile& device,
               const NetworkSearchOptions& options, const Progress& progress, const StopToken& stop)
{
    networks::Plan plan = networks::in_arena(std::move(planned.plan), rules);
    KernelKinds kinds(
        plan, device, [&](const networks::PlannedKernel&) { return KernelChoices{.parts = options.parts}; }, stop);
    const std::size_t kernels = plan.kernels.size();
    PredictedPlan found = settled(plan, kinds, device, 0, [&](std::size_t k, const codegen::GivenLayouts& layouts) {
        tell(progress, "searching kernels in the arena", k, kernels);
        KernelSearch& kind = kinds.of(k);
        return kind.descend({plan.kernels[k].schedule, layouts}, kind.knobs());
    });
    found.plan = networks::in_arena(std::move(found.plan), rules); // other schedules may ask for other gaps
    found.searched += planned.searched;
    found.evaluated += planned.evaluated;
    const std::vector<KernelPrediction> predictions = predict_network(found.plan, device, progress, stop);
    for (std::size_t k = 0; k < kernels; ++k) {
        const auto time = predictions[k].time();
        if (!time) {
            throw bad_input(predictions[k].why_not, found.plan.kernels[k].kernel.op.name + " in an arena");
        }
        found.predicted[k] = *time;
    }
    planned = std::move(found);
}

} // namespace texelscope::experiments
