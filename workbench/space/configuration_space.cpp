#include "workbench/space/configuration_space.hpp"

#include "base/error.hpp"
#include "base/lists.hpp"
#include "codegen/nest/kernel_launch.hpp"
#include "codegen/nest/schedule_parts.hpp"
#include "workbench/space/part_values.hpp"
#include "workbench/space/restricted_space.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <iterator>
#include <map>
#include <utility>

namespace texelscope::workbench::space {
namespace {

/// Whether the images of a kernel are within the limits of the device. That of an input hangs on
/// its own pattern, but on no other input's: few nests tell of all combinations.
class ImageFit {
public:
    ImageFit(const Operator& op, const DeviceProfile& device) : op_(op), device_(device) {}

    bool operator()(const KernelChoice& kernel)
    {
        const Known& known = known_of(kernel);
        bool fits = kernel.memory_of(kernel.patterns.size()) == Memory::buffer || known.output;
        for (std::size_t input = 0; fits && input < kernel.patterns.size(); ++input) {
            fits = kernel.memory_of(input) == Memory::buffer ||
                   known.inputs[input][static_cast<std::size_t>(kernel.patterns[input])];
        }
        return fits;
    }

    /// With all patterns and memories.
    bool whatever(const KernelChoice& kernel)
    {
        const Known& known = known_of(kernel);
        return known.output && std::ranges::all_of(known.inputs, [](const auto& fits) {
                   return std::ranges::all_of(fits, [](bool each) { return each; });
               });
    }

private:
    struct Known {
        bool output = false;
        std::vector<std::array<bool, all_access_patterns.size()>> inputs; ///< by pattern
    };

    /// Of kernels that differ in patterns and memory alone. What only decides the text of the loops
    /// is left out.
    const Known& known_of(const KernelChoice& kernel)
    {
        KernelChoice images{.patterns = {},
                            .tile = kernel.tile,
                            .split = kernel.split,
                            .storage = kernel.storage,
                            .eliminate_addresses = false};
        const auto [found, fresh] = known_.try_emplace(to_string(images));
        if (fresh) {
            found->second.inputs.resize(op_.inputs.size());
            for (const AccessPattern pattern : all_access_patterns) {
                images.patterns.assign(op_.inputs.size(), pattern);
                if (!is_legal(op_, schedule_of(images, {}))) {
                    return found->second; // no pattern makes the tile legal: nothing fits
                }
                const LoopNest nest = loop_nest(op_, schedule_of(images, {}));
                for (std::size_t input = 0; input < op_.inputs.size(); ++input) {
                    found->second.inputs[input][static_cast<std::size_t>(pattern)] =
                        fits(nest.inputs[input]);
                }
                found->second.output = fits(nest.output);
            }
        }
        return found->second;
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
    std::map<std::string, Known> known_; ///< by the text of what they share
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
/// powers of two.
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
                 warp_shapes(group, device.simulation.machine.warp_size, options)) {
                groups.push_back({warp, group});
            }
        }
    }
    return groups;
}

std::vector<std::vector<std::int32_t>> tile_choices(const Operator& op, const SpaceOptions& options)
{
    if (options.parts.find('T') == std::string::npos) {
        return {op.default_schedule.tile};
    }
    const bool deep = op.grid.extents.size() > 2;
    const auto [width, height] = tiled_extent(op);
    const std::int32_t multiple = op.grid.tile_multiple;
    std::vector<std::vector<std::int32_t>> tiles;
    for (const std::int32_t tz :
         deep ? sides_within(options.tile_depths, op.grid.extents[2]) : std::vector{1}) {
        for (const std::int32_t ty : sides_within(options.tile_sides, height)) {
            for (const std::int32_t tx :
                 sides_within(options.tile_sides, std::max<std::int64_t>(width, multiple))) {
                if (tx % multiple == 0) {
                    tiles.push_back(tz > 1 ? std::vector{tx, ty, tz} : std::vector{tx, ty});
                }
            }
        }
    }
    return tiles;
}

namespace {

/// Of further parts, by letter.
using PartValues = std::map<char, std::vector<std::string>>;

PartValues further_values(const Operator& op, const SpaceOptions& options)
{
    PartValues values = options.choices;
    for (const char key : options.parts) {
        if (std::string(paper_parts).find(key) == std::string::npos && !values.contains(key)) {
            values[key] = part_values(op, key);
        }
    }
    return values;
}

/// What work-groups hang on: such kernels are listed, the other parts are factors.
bool is_listed(char key)
{
    return key == 'R' || key == 'S';
}

/// The base with each value of a part, those that the operator takes with some tile.
std::vector<KernelChoice> legal_choices(const Operator& op, char key,
                                        const std::vector<std::string>& texts,
                                        const KernelChoice& base)
{
    std::vector<KernelChoice> kernels;
    for (const std::string& text : texts) {
        KernelChoice kernel = base;
        if (!text.empty()) {
            schedule_part(key).read(kernel, text, fmt::format("choices of part {}", key));
        }
        // they ask for more
        if (key == 'V' || key == 'S' || is_legal_with_some_tile(op, schedule_of(kernel, {}))) {
            kernels.push_back(std::move(kernel));
        }
    }
    return kernels;
}

/// The base with all splits and blocks (R, S), with the work-groups that they can have.
ConfigurationSpace listed_kernels(const Operator& op, const DeviceProfile& device,
                                  const SpaceOptions& options, const PartValues& values,
                                  const KernelChoice& base)
{
    std::vector<KernelChoice> kernels{base};
    for (const char key : {'R', 'S'}) {
        if (const auto texts = values.find(key); texts != values.end()) {
            std::vector<KernelChoice> longer;
            for (const KernelChoice& kernel : kernels) {
                std::ranges::move(legal_choices(op, key, texts->second, kernel),
                                  std::back_inserter(longer));
            }
            kernels = std::move(longer);
        }
    }
    ConfigurationSpace space;
    for (const KernelChoice& kernel : kernels) {
        std::vector<GroupChoice> groups = group_choices(op, device, options, kernel);
        if (!groups.empty()) {
            space.add_kernel(kernel, space.add_groups(std::move(groups)));
        }
    }
    return space;
}

SpaceFactor pattern_factor(const Operator& op, const SpaceOptions& options,
                           const KernelChoice& base)
{
    if (options.parts.find('A') == std::string::npos) {
        return {"A", {base}};
    }
    std::vector<std::vector<AccessPattern>> choices =
        pattern_choices(options.patterns, op.inputs.size());
    std::erase_if(choices, [&](const auto& patterns) {
        return std::ranges::any_of(options.kept_patterns, [&](std::size_t input) {
            return patterns[input] != base.patterns[input];
        });
    });
    return {"A", mapped(choices, [&](const auto& patterns) {
                KernelChoice kernel = base;
                kernel.patterns = patterns;
                return kernel;
            })};
}

/// Leaves out kernels whose images are larger than the device's, where that does not tie too many
/// together.
ConfigurationSpace within_image_limits(const ConfigurationSpace& space, const Operator& op,
                                       const DeviceProfile& device)
{
    constexpr std::size_t most = 20'000;
    ImageFit fit(op, device);
    const auto with = [&](const std::string& parts, auto holds) {
        return restricted(space, {parts, [&, holds](const KernelChoice& kernel) {
                                      return
                                          [is = holds(kernel)](const GroupChoice&) { return is; };
                                  }});
    };
    const bool all = with("TRP", [&](const KernelChoice& kernel) {
                         return fit.whatever(kernel);
                     }).size() == space.size();
    return all || tied_kernels(space, "ATRMP") > most
               ? space
               : with("ATRMP", [&](const KernelChoice& kernel) { return fit(kernel); });
}

} // namespace

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

std::vector<std::vector<AccessPattern>> pattern_choices(std::span<const AccessPattern> patterns,
                                                        std::size_t inputs)
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
    listed_.push_back(std::move(kernel));
    list_.push_back(groups);
    first_.push_back(first_.back() + std::ssize(lists_[groups]));
}

void ConfigurationSpace::add_factor(SpaceFactor factor)
{
    times_ *= std::ssize(factor.values);
    factors_.push_back(std::move(factor));
}

ConfigurationSpace ConfigurationSpace::without_factors() const
{
    ConfigurationSpace alone = *this;
    alone.factors_.clear();
    alone.times_ = 1;
    return alone;
}

ConfigurationSpace::Place ConfigurationSpace::place(std::int64_t index) const
{
    const std::int64_t in_list = index % first_.back();
    const auto next = std::upper_bound(first_.begin(), first_.end(), in_list);
    const auto listed = static_cast<std::size_t>(next - first_.begin()) - 1;
    return {static_cast<std::size_t>(index / first_.back()) * listed_.size() + listed,
            static_cast<std::size_t>(in_list - first_[listed])};
}

KernelChoice ConfigurationSpace::kernel(std::size_t number) const
{
    KernelChoice kernel = listed_[number % listed_.size()];
    number /= listed_.size();
    for (auto factor = factors_.rbegin(); factor != factors_.rend(); ++factor) {
        for (const char key : factor->parts) {
            schedule_part(key).copy(kernel, factor->values[number % factor->values.size()]);
        }
        number /= factor->values.size();
    }
    return kernel;
}

Schedule ConfigurationSpace::at(std::int64_t index) const
{
    const Place found = place(index);
    return schedule_of(kernel(found.kernel), groups(found.kernel)[found.group]);
}

ConfigurationSpace part_of(const ConfigurationSpace& space, const std::vector<bool>& kept)
{
    ConfigurationSpace part;
    for (std::size_t k = 0; k < space.kernel_count(); ++k) {
        std::vector<GroupChoice> groups;
        auto mark = kept.begin() + space.first(k);
        for (const GroupChoice& group : space.groups(k)) {
            if (*mark++) {
                groups.push_back(group);
            }
        }
        if (!groups.empty()) {
            part.add_kernel(space.kernel(k), part.add_groups(std::move(groups)));
        }
    }
    return part;
}

ConfigurationSpace configuration_space(const Operator& op, const DeviceProfile& device,
                                       const SpaceOptions& options)
{
    const KernelChoice base = kernel_of(op.default_schedule);
    const PartValues values = further_values(op, options);
    ConfigurationSpace space = listed_kernels(op, device, options, values, base);
    std::map<std::int32_t, GroupChoice> groups; // one that is legal, by what goes in blocks
    for (std::size_t k = 0; k < space.kernel_count(); ++k) {
        groups.try_emplace(space.listed()[k].stage, space.groups(k).front());
    }
    space.add_factor(pattern_factor(op, options, base));
    space.add_factor({"T", mapped(tile_choices(op, options), [&](const auto& tile) {
                          KernelChoice kernel = base;
                          kernel.tile = tile;
                          return kernel;
                      })});
    for (const auto& [key, texts] : values) {
        if (!is_listed(key)) {
            space.add_factor({{key}, legal_choices(op, key, texts, base)});
        }
    }
    // What parts have to do with each other: vectors with the tile, loops with how they are shared,
    // copied and written out.
    const auto restrict_to = [&](const std::string& parts,
                                 const std::function<bool(const KernelChoice&)>& holds) {
        space =
            restricted(space, {parts, [&](const KernelChoice& kernel) {
                                   return [is = holds(kernel)](const GroupChoice&) { return is; };
                               }});
    };
    if (values.contains('V')) {
        restrict_to("TV", [&](const KernelChoice& kernel) {
            KernelChoice vectors = base;
            vectors.tile = kernel.tile;
            vectors.vector = kernel.vector;
            return is_legal(op, schedule_of(vectors, {}));
        });
    }
    space = within_image_limits(space, op, device);
    if (values.contains('L') || values.contains('U')) {
        restrict_to("LURS", [&](const KernelChoice& kernel) {
            KernelChoice loops = base;
            loops.order = kernel.order;
            loops.unroll = kernel.unroll;
            loops.split = kernel.split;
            loops.stage = kernel.stage;
            return is_legal_with_some_tile(op, schedule_of(loops, groups.at(kernel.stage)));
        });
    }
    if (space.size() == 0) {
        throw bad_input("no configuration fits the device",
                        fmt::format("{} on {}", to_string(op), device.name), "use a smaller shape");
    }
    return space;
}

} // namespace texelscope::workbench::space
