#include "workbench/tuning/bottleneck_price.hpp"

#include <utility>

namespace texelscope::workbench::tuning {

ModelCosts::Costs bottleneck_costs(const Operator& op, const DeviceProfile& device,
                                   const Schedule& schedule, std::vector<GroupChoice> groups,
                                   const StopToken& stop)
{
    ConfigurationSpace alone;
    alone.add_kernel(kernel_of(schedule), alone.add_groups(std::move(groups)));
    const Calibration none; // of which this variant takes nothing
    return ModelCosts(op, device, alone, none, ModelVariant::bottleneck, stop).of_kernel(0);
}

std::optional<Nanoseconds> bottleneck_price(const Operator& op, const DeviceProfile& device,
                                            const Schedule& schedule, const StopToken& stop)
{
    const ModelCosts::Costs costs =
        bottleneck_costs(op, device, schedule, {{schedule.warp, schedule.group}}, stop);
    return costs.priced.empty() ? std::nullopt : std::optional(Nanoseconds{costs.priced[0].ns});
}

} // namespace texelscope::workbench::tuning
