#include "experiments/tuning/local_sizes.hpp"

#include "experiments/tuning/baseline_rules.hpp"

#include <algorithm>
#include <bit>

namespace texelscope::experiments {
namespace {

/// Tiles along an axis of the grid, over all planes, up to a power of two.
std::int64_t reach(const Operator& op, const KernelChoice& kernel, std::size_t axis)
{
    const std::int64_t tiles = ceil_div(op.grid.extents[axis], kernel.tile[axis]);
    return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(tiles)));
}

} // namespace

KernelChoice framework_kernel(const Operator& op, const DeviceProfile& device)
{
    const bool known = op.name == "matmul" || op.name == "conv2d";
    const Schedule schedule = known ? baseline_schedules(Baseline::mnn, op, device).front() : op.default_schedule;
    return {.patterns = schedule.patterns, .tile = schedule.tile, .unroll = schedule.unroll, .split = schedule.split};
}

ConfigurationSpace local_size_space(const Operator& op, const DeviceProfile& device)
{
    const KernelChoice kernel = framework_kernel(op, device);
    const std::int64_t most_x = reach(op, kernel, 0);
    const std::int64_t most_y = reach(op, kernel, 1);
    std::vector<GroupChoice> groups;
    const auto add = [&](std::int64_t x, std::int64_t items) {
        x = std::clamp<std::int64_t>(x, 1, std::min(items, most_x));
        const std::int64_t y = std::min(items / x, most_y);
        const auto width = static_cast<std::int32_t>(x);
        const auto height = static_cast<std::int32_t>(y);
        const GroupChoice choice{{width, height}, {width, height, 1}};
        if (std::none_of(groups.begin(), groups.end(), [&](const GroupChoice& g) { return g.group == choice.group; })) {
            groups.push_back(choice);
        }
    };
    const std::int64_t limit = device.limits.work_group_size / kernel.split;
    for (std::int64_t items = device.simulation.warp_size; items <= limit; items *= 2) {
        // Sides are powers of two, and so are warps in every profile but where someone sets another: then the next below.
        const auto whole = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(items)));
        const int bits = std::countr_zero(static_cast<std::uint64_t>(whole));
        const std::int64_t square = std::int64_t{1} << ((bits + 1) / 2);
        add(square, whole);
        add(square * 4, whole);
        add(square / 4, whole);
    }
    if (groups.empty()) {
        add(1, 1);
    }
    ConfigurationSpace space;
    space.add_kernel(kernel, space.add_groups(std::move(groups)));
    return space;
}

} // namespace texelscope::experiments
