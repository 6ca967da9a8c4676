#include "workbench/space/kernel_choice.hpp"

#include "base/error.hpp"
#include "codegen/nest/loop_nest.hpp"

namespace texelscope::workbench::space {

Schedule schedule_of(const KernelChoice& kernel, const GroupChoice& group)
{
    Schedule schedule = kernel;
    schedule.warp = group.warp;
    schedule.group = group.group;
    return schedule;
}

Schedule standing_for(const KernelChoice& kernel, std::span<const GroupChoice> groups,
                      std::size_t g)
{
    return schedule_of(kernel, groups[kernel.stage > 0 ? g : groups.size() / 2]);
}

KernelChoice kernel_of(Schedule schedule)
{
    schedule.warp = {};
    schedule.group = {};
    return schedule;
}

bool is_legal(const Operator& op, const Schedule& schedule)
{
    try {
        (void)loop_nest(op, schedule);
        return true;
    } catch (const Error&) {
        return false;
    }
}

} // namespace texelscope::workbench::space
