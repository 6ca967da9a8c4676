#include "experiments/space/configuration_space.hpp"

#include "base/error.hpp"
#include "codegen/nest/schedule_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

namespace texelscope::experiments {
namespace {

void check_operand(const Operand& operand, const DeviceLimits& limits, const std::string& where)
{
    if (operand.memory == Memory::buffer) {
        return;
    }
    const Image& image = operand.image;
    if (image.extent.width > limits.image_width || image.extent.height > limits.image_height) {
        throw bad_input(fmt::format("image {} of {}x{} texels is larger than the device's {}x{}", image.name,
                                    image.extent.width, image.extent.height, limits.image_width, limits.image_height),
                        where, "use another access pattern, a smaller shape, or a buffer (M=buffer,...)");
    }
}

/// Whether the images of a kernel are within the limits of the device. That of an input hangs on its own pattern, but on no
/// other input's: few nests tell of all combinations.
class ImageFit {
public:
    ImageFit(const Operator& op, const DeviceProfile& device) : op_(op), device_(device) {}

    bool operator()(const KernelChoice& kernel)
    {
        // What only decides the text of the loops is left out.
        const KernelChoice images{.patterns = kernel.patterns,
                                  .tile = kernel.tile,
                                  .split = kernel.split,
                                  .memory = kernel.memory,
                                  .storage = kernel.storage,
                                  .eliminate_addresses = false};
        KernelChoice shared = images;
        shared.patterns.clear();
        const std::string text = to_string(shared);
        std::vector<Key> keys;
        for (std::size_t operand = 0; operand <= kernel.patterns.size(); ++operand) { // the last is the output
            keys.emplace_back(operand,
                              operand < kernel.patterns.size() ? std::optional(kernel.patterns[operand]) : std::nullopt,
                              text);
        }
        if (!std::ranges::all_of(keys, [&](const Key& key) { return known_.contains(key); })) {
            ask(images, keys);
        }
        return std::ranges::all_of(keys, [&](const Key& key) { return known_.at(key); });
    }

private:
    using Key = std::tuple<std::size_t, std::optional<AccessPattern>, std::string>;

    void ask(const KernelChoice& images, const std::vector<Key>& keys)
    {
        const LoopNest nest = loop_nest(op_, schedule_of(images, {}));
        for (std::size_t operand = 0; operand < keys.size(); ++operand) {
            known_[keys[operand]] = fits(operand + 1 < keys.size() ? nest.inputs[operand] : nest.output);
        }
    }

    [[nodiscard]] bool fits(const Operand& operand) const
    {
        try {
            check_operand(operand, device_.limits, {});
            return true;
        } catch (const Error&) {
            return false;
        }
    }

    const Operator& op_;
    const DeviceProfile& device_;
    std::map<Key, bool> known_;
};

std::int64_t power_of_two_from(std::int64_t n)
{
    return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(n)));
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

/// Warp shapes: rectangles of one warp (or of a plane of the group where that is smaller), sides powers of two.
std::vector<GroupChoice> group_choices(const Operator& op, const DeviceProfile& device, const SpaceOptions& options,
                                       std::int32_t split)
{
    std::vector<GroupChoice> groups;
    const std::int64_t largest = std::min(options.largest_group, device.limits.work_group_size) / split;
    const std::int64_t most_x = power_of_two_from(op.grid.extents[0]);
    const std::int64_t most_y = power_of_two_from(op.grid.extents[1]);
    const std::int64_t most_z = op.grid.extents.size() > 2 ? power_of_two_from(op.grid.extents[2] * op.grid.planes) : 1;
    const std::int64_t smallest = std::min({ceil_div(options.smallest_group, split), most_x * most_y, largest});
    for (std::int64_t bx = 1; bx <= std::min(most_x, largest); bx *= 2) {
        for (std::int64_t by = 1; by <= most_y && bx * by <= largest; by *= 2) {
            const std::int64_t lanes = std::min<std::int64_t>(device.simulation.warp_size, bx * by);
            for (const std::int32_t bz : options.group_depths) {
                if (bz > most_z || bx * by * bz < smallest || bx * by * bz > largest) {
                    continue;
                }
                for (std::int64_t wx = 1; wx <= std::min(bx, lanes); wx *= 2) {
                    if (lanes % wx == 0 && lanes / wx <= by && by % (lanes / wx) == 0) {
                        groups.push_back({{static_cast<std::int32_t>(wx), static_cast<std::int32_t>(lanes / wx)},
                                          {static_cast<std::int32_t>(bx), static_cast<std::int32_t>(by), bz}});
                    }
                }
            }
        }
    }
    return groups;
}

/// Tiles by sides, two sizes where the third is 1.
std::vector<std::vector<std::int32_t>> tile_choices(const Operator& op, const SpaceOptions& options)
{
    const bool deep = op.grid.extents.size() > 2;
    const auto [width, height] = tiled_extent(op);
    const std::int32_t multiple = op.grid.tile_multiple;
    std::vector<std::vector<std::int32_t>> tiles;
    for (const std::int32_t tz : deep ? sides_within(options.tile_depths, op.grid.extents[2]) : std::vector{1}) {
        for (const std::int32_t ty : sides_within(options.tile_sides, height)) {
            for (const std::int32_t tx : sides_within(options.tile_sides, std::max<std::int64_t>(width, multiple))) {
                if (tx % multiple == 0) {
                    tiles.push_back(tz > 1 ? std::vector{tx, ty, tz} : std::vector{tx, ty});
                }
            }
        }
    }
    return tiles;
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
        check_operand(input, device.limits, where);
    }
    check_operand(nest.output, device.limits, where);
}

Schedule schedule_of(const KernelChoice& kernel, const GroupChoice& group)
{
    Schedule schedule = kernel;
    schedule.warp = group.warp;
    schedule.group = group.group;
    return schedule;
}

Schedule standing_for(const KernelChoice& kernel, std::span<const GroupChoice> groups, std::size_t g)
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

std::vector<std::vector<AccessPattern>> pattern_choices(std::span<const AccessPattern> patterns, std::size_t inputs)
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

std::vector<KernelChoice> further_choices(const SpaceOptions& options, const KernelChoice& base)
{
    std::vector<KernelChoice> all{base};
    for (const SchedulePart& part : schedule_parts()) {
        const auto values = options.choices.find(part.key);
        if (values == options.choices.end()) {
            continue;
        }
        std::vector<KernelChoice> longer;
        for (const KernelChoice& kernel : all) {
            for (const std::string& value : values->second) {
                longer.push_back(kernel);
                if (!value.empty()) {
                    part.read(longer.back(), value, fmt::format("choices of part {}", part.key));
                }
            }
        }
        all = std::move(longer);
    }
    return all;
}

std::size_t ConfigurationSpace::add_groups(std::vector<GroupChoice> groups)
{
    lists_.push_back(std::move(groups));
    return lists_.size() - 1;
}

void ConfigurationSpace::add_kernel(KernelChoice kernel, std::size_t groups)
{
    kernels_.push_back(std::move(kernel));
    list_.push_back(groups);
    first_.push_back(first_.back() + std::ssize(lists_[groups]));
}

ConfigurationSpace::Place ConfigurationSpace::place(std::int64_t index) const
{
    const auto next = std::upper_bound(first_.begin(), first_.end(), index);
    const auto kernel = static_cast<std::size_t>(next - first_.begin()) - 1;
    return {kernel, static_cast<std::size_t>(index - first_[kernel])};
}

Schedule ConfigurationSpace::at(std::int64_t index) const
{
    const Place found = place(index);
    return schedule_of(kernels_[found.kernel], groups(found.kernel)[found.group]);
}

ConfigurationSpace part_of(const ConfigurationSpace& space, const std::vector<bool>& kept)
{
    ConfigurationSpace part;
    for (std::size_t k = 0; k < space.kernels().size(); ++k) {
        std::vector<GroupChoice> groups;
        auto mark = kept.begin() + space.first(k);
        for (const GroupChoice& group : space.groups(k)) {
            if (*mark++) {
                groups.push_back(group);
            }
        }
        if (!groups.empty()) {
            part.add_kernel(space.kernels()[k], part.add_groups(std::move(groups)));
        }
    }
    return part;
}

ConfigurationSpace configuration_space(const Operator& op, const DeviceProfile& device, const SpaceOptions& options)
{
    ConfigurationSpace space;
    std::map<std::int32_t, std::size_t> groups; // list of each split
    std::vector<KernelChoice> kernels = further_choices(
        options, {.patterns = std::vector(op.inputs.size(), AccessPattern::row), .tile = {op.grid.tile_multiple, 1}});
    std::erase_if(kernels, [&](const KernelChoice& kernel) { return !is_legal(op, schedule_of(kernel, {})); });
    ImageFit fits(op, device);
    for (const auto& patterns : pattern_choices(options.patterns, op.inputs.size())) {
        for (const auto& tile : tile_choices(op, options)) {
            for (KernelChoice kernel : kernels) {
                kernel.patterns = patterns;
                kernel.tile = tile;
                if (fits(kernel)) {
                    const auto [list, fresh] = groups.try_emplace(kernel.split);
                    if (fresh) {
                        list->second = space.add_groups(group_choices(op, device, options, kernel.split));
                    }
                    space.add_kernel(std::move(kernel), list->second);
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

} // namespace texelscope::experiments
