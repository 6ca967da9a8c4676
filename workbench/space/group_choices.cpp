#include "workbench/space/group_choices.hpp"

#include "workbench/space/part_values.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace texelscope::workbench::space {
namespace {

/// Sizes that a work-group can have with a reduction that so many work-items share.
std::vector<Dim3> group_sizes(const Operator& op, const DeviceProfile& device,
                              const SpaceOptions& options, std::int32_t split)
{
    const std::int64_t largest =
        std::min(options.largest_group, device.limits.work_group_size) / split;
    const auto count = [](const Dim3& group) {
        return std::int64_t{group[0]} * group[1] * group[2];
    };
    if (options.parts.find('G') == std::string::npos) {
        const Dim3& group = op.default_schedule.group;
        return count(group) <= largest ? std::vector{group} : std::vector<Dim3>{};
    }
    std::vector<Dim3> sizes;
    const std::int64_t most_x = power_of_two_from(op.grid.extents[0]);
    const std::int64_t most_y = power_of_two_from(op.grid.extents[1]);
    const std::int64_t most_z =
        op.grid.extents.size() > 2 ? power_of_two_from(op.grid.extents[2] * op.grid.planes) : 1;
    // Groups below the smallest size are left out, unless the grid is smaller itself.
    const std::int64_t smallest =
        std::min({ceil_div(options.smallest_group, split), most_x * most_y, largest});
    for (std::int64_t bx = 1; bx <= std::min(most_x, largest); bx *= 2) {
        for (std::int64_t by = 1; by <= most_y && bx * by <= largest; by *= 2) {
            for (const std::int32_t bz : options.group_depths) {
                const Dim3 group{static_cast<std::int32_t>(bx), static_cast<std::int32_t>(by), bz};
                if (bz <= most_z && count(group) >= smallest && count(group) <= largest) {
                    sizes.push_back(group);
                }
            }
        }
    }
    return sizes;
}

/// Warp shapes: rectangles of one warp (or of a plane of the group where that is smaller), sides
/// powers of two. `group` in the order of the launch's axes.
std::vector<std::array<std::int32_t, 2>> warp_shapes(const Dim3& group, int warp_size,
                                                     const SpaceOptions& options)
{
    if (options.parts.find('W') == std::string::npos) {
        return {{group[0], group[1]}};
    }
    std::vector<std::array<std::int32_t, 2>> shapes;
    const std::int32_t lanes = std::min(warp_size, group[0] * group[1]);
    for (std::int32_t wx = 1; wx <= std::min(group[0], lanes); wx *= 2) {
        if (lanes % wx == 0 && lanes / wx <= group[1] && group[1] % (lanes / wx) == 0) {
            shapes.push_back({wx, lanes / wx});
        }
    }
    return shapes;
}

} // namespace

std::vector<GroupChoice> group_choices(const Operator& op, const DeviceProfile& device,
                                       const SpaceOptions& options, const KernelChoice& kernel)
{
    std::vector<GroupChoice> groups;
    for (const Dim3& group : group_sizes(op, device, options, kernel.split)) {
        if (kernel.stage == 0 ||
            is_legal_with_some_tile(op, schedule_of(kernel, {{1, 1}, group}))) {
            for (const auto& warp :
                 warp_shapes(schedule_of(kernel, {{1, 1}, group}).launched_group(),
                             device.simulation.machine.warp_size, options)) {
                groups.push_back({warp, group});
            }
        }
    }
    return groups;
}

} // namespace texelscope::workbench::space
