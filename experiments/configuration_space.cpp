#include "experiments/configuration_space.hpp"

#include "traces/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace texelscope {
namespace {

void check_image(const Image& image, const DeviceLimits& limits, const std::string& where)
{
    if (image.extent.width > limits.image_width || image.extent.height > limits.image_height) {
        throw bad_input(fmt::format("image {} of {}x{} texels is larger than the device's {}x{}", image.name,
                                    image.extent.width, image.extent.height, limits.image_width, limits.image_height),
                        where, "use a smaller shape or another access pattern");
    }
}

bool within_limits(const LoopNest& nest, const DeviceProfile& device)
{
    try {
        check_limits(nest, device);
        return true;
    } catch (const Error&) {
        return false;
    }
}

std::int64_t power_of_two_from(std::int64_t n)
{
    return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(n)));
}

/// Every combination of one pattern for each input.
std::vector<std::vector<AccessPattern>> pattern_choices(const std::vector<AccessPattern>& patterns, std::size_t inputs)
{
    std::vector<std::vector<AccessPattern>> choices{{}};
    for (std::size_t input = 0; input < inputs; ++input) {
        std::vector<std::vector<AccessPattern>> longer;
        for (const auto& choice : choices) {
            for (const AccessPattern pattern : patterns) {
                longer.push_back(choice);
                longer.back().push_back(pattern);
            }
        }
        choices = std::move(longer);
    }
    return choices;
}

/// Extents of the output along x (innermost) and y.
std::array<std::int64_t, 2> output_extent(const Operator& op)
{
    return {op.grid.extents[0], op.grid.extents[1]};
}

/// What T's first two sizes cut.
std::array<std::int64_t, 2> tiled_extent(const Operator& op)
{
    const auto& extents = op.grid.tiled.empty() ? op.grid.extents : op.grid.tiled;
    return {extents[0], extents[1]};
}

std::vector<std::int32_t> sides_within(const std::vector<std::int32_t>& sides, std::int64_t extent)
{
    std::vector<std::int32_t> kept;
    std::copy_if(sides.begin(), sides.end(), std::back_inserter(kept),
                 [&](std::int32_t side) { return side <= power_of_two_from(extent); });
    return kept;
}

} // namespace

void check_limits(const LoopNest& nest, const DeviceProfile& device)
{
    const std::string where =
        fmt::format("{}, configuration '{}' on {}", nest.operator_text, nest.schedule_text, device.name);
    const std::int64_t items = std::int64_t{nest.local[0]} * nest.local[1] * nest.local[2];
    if (items > device.limits.work_group_size) {
        throw bad_input(fmt::format("a work-group of {} work-items is larger than the device's {}", items,
                                    device.limits.work_group_size),
                        where, "use a smaller G");
    }
    for (const Operand& input : nest.inputs) {
        check_image(input.image, device.limits, where);
    }
    check_image(nest.output.image, device.limits, where);
}

Schedule ConfigurationSpace::at(std::int64_t index) const
{
    const auto group_count = static_cast<std::int64_t>(groups.size());
    const KernelChoice& kernel = kernels[static_cast<std::size_t>(index / group_count)];
    const GroupChoice& group = groups[static_cast<std::size_t>(index % group_count)];
    return {kernel.patterns, kernel.tile, group.warp, group.group};
}

ConfigurationSpace configuration_space(const Operator& op, const DeviceProfile& device, const SpaceOptions& options)
{
    ConfigurationSpace space;
    const auto [width, height] = output_extent(op);
    const auto [tiled_width, tiled_height] = tiled_extent(op);
    const std::int32_t multiple = op.grid.tile_multiple;
    for (const auto& patterns : pattern_choices(options.patterns, op.inputs.size())) {
        for (const std::int32_t ty : sides_within(options.tile_sides, tiled_height)) {
            for (const std::int32_t tx :
                 sides_within(options.tile_sides, std::max<std::int64_t>(tiled_width, multiple))) {
                if (tx % multiple != 0) {
                    continue;
                }
                const Schedule smallest{patterns, {tx, ty}, {1, 1}, {1, 1, 1}};
                if (within_limits(loop_nest(op, smallest), device)) {
                    space.kernels.push_back({patterns, {tx, ty}});
                }
            }
        }
    }
    // Warp shapes: rectangles of one warp (or of the whole group where that is smaller), sides powers of two.
    const std::int64_t largest = std::min(options.largest_group, device.limits.work_group_size);
    const std::int64_t most_x = power_of_two_from(width);
    const std::int64_t most_y = power_of_two_from(height);
    const std::int64_t smallest = std::min({options.smallest_group, most_x * most_y, largest});
    for (std::int64_t bx = 1; bx <= std::min(most_x, largest); bx *= 2) {
        for (std::int64_t by = 1; by <= most_y && bx * by <= largest; by *= 2) {
            if (bx * by < smallest) {
                continue;
            }
            const std::int64_t lanes = std::min<std::int64_t>(device.simulation.warp_size, bx * by);
            for (std::int64_t wx = 1; wx <= std::min(bx, lanes); wx *= 2) {
                if (lanes % wx == 0 && lanes / wx <= by && by % (lanes / wx) == 0) {
                    space.groups.push_back({{static_cast<std::int32_t>(wx), static_cast<std::int32_t>(lanes / wx)},
                                            {static_cast<std::int32_t>(bx), static_cast<std::int32_t>(by), 1}});
                }
            }
        }
    }
    if (space.size() == 0) {
        throw bad_input("no configuration fits the device", fmt::format("{} on {}", to_string(op), device.name),
                        "use a smaller shape");
    }
    return space;
}

} // namespace texelscope
