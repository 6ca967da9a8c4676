#include "experiments/tuning/priced_parts.hpp"

#include "base/error.hpp"
#include "codegen/nest/schedule_parts.hpp"
#include "experiments/space/configuration_space.hpp"
#include "experiments/space/part_values.hpp"
#include "experiments/study/buffer_reads.hpp"
#include "experiments/study/prediction.hpp"

#include <algorithm>

namespace texelscope::experiments {
namespace {

/// Whether both judges take the configuration; one that is illegal does not count against a part.
bool is_priced(const Operator& op, const DeviceProfile& device, const Schedule& schedule)
{
    if (!is_legal(op, schedule)) {
        return true;
    }
    try {
        check_simulated(loop_nest(op, schedule), device);
    } catch (const Error&) {
        return false;
    }
    ConfigurationSpace alone;
    alone.add_kernel(kernel_of(schedule), alone.add_groups({{schedule.warp, schedule.group}}));
    const Calibration none;
    return ModelCosts(op, device, alone, none, ModelVariant::bottleneck).of_kernel(0).not_priced == 0;
}

} // namespace

std::string priced_parts(const Operator& op, const DeviceProfile& device)
{
    DeviceProfile judged = device; // of which no kernel is beyond the limits, and none is compiled
    judged.limits.image_width = judged.limits.image_height = largest_size;
    judged.compiler = nullptr;
    std::string parts = paper_parts;
    for (const char key : {'L', 'U', 'R', 'S', 'M', 'V'}) {
        const auto values = part_values(op, key);
        if (std::ranges::all_of(values, [&](const std::string& value) {
                Schedule schedule = op.default_schedule;
                if (!value.empty()) {
                    schedule_part(key).read(schedule, value, {});
                }
                return is_priced(op, judged, schedule);
            })) {
            parts += key;
        }
    }
    return parts;
}

} // namespace texelscope::experiments
