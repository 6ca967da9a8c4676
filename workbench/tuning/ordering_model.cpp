#include "workbench/tuning/ordering_model.hpp"

#include <utility>

namespace texelscope::workbench::tuning {

OrderingModel ordering_model(const ModelQuestion& question, const Operator& op,
                             const DeviceProfile& device, ConfigurationSpace space,
                             const StopToken& stop)
{
    OrderingModel model;
    model.choice = question.variant;
    model.order = {question.variant.variant, question.calibration()};
    model.space = std::move(space);
    if (!question.pruning) {
        return model;
    }
    PruningOptions options = *question.pruning;
    const PruningLimits limits = pruning_limits(device);
    SpaceFootprints footprints(op, model.space, {}, stop);
    if (device.compiler && options.checks(PruningCriterion::spills)) {
        footprints.compile(device, model.space, stop);
    }
    const auto pruned = [&] {
        return narrowed(model.space, pruning_conditions(footprints, limits, options), {}, stop);
    };
    Narrowed left = pruned();
    if (left.counts.kept == 0 && question.counts_again && options.checks(PruningCriterion::l1)) {
        options.counting = LoadCounting::shared_once;
        model.shared_once = true;
        left = pruned();
    }
    model.pruned = std::move(left.counts);
    model.off = switched_off(limits, options);
    model.space = std::move(left.space);
    return model;
}

} // namespace texelscope::workbench::tuning
