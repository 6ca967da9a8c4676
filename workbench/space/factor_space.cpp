#include "workbench/space/factor_space.hpp"

#include "base/error.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "codegen/passes/pruning.hpp"
#include "workbench/space/part_values.hpp"
#include "workbench/space/space_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <utility>

namespace texelscope::workbench::space {
namespace {

using Tile = std::array<std::int32_t, 3>;

/// A tile, and how the extent that it leaves is cut into blocks of threads.
struct TileChoice {
    Tile tile{1, 1, 1};
    std::vector<GroupChoice> groups; ///< by number of work-items, ascending
};

std::array<std::int64_t, 3> extents_of(const Operator& op)
{
    const auto& extents = op.grid.extents;
    return {extents[0], extents[1], extents.size() > 2 ? extents[2] : 1};
}

std::int64_t items(const GroupChoice& choice)
{
    return std::int64_t{choice.group[0]} * choice.group[1] * choice.group[2];
}

// Tiles and work-groups whose sides divide the extents, as templates of tuners have them: nothing
// is left over.
std::vector<TileChoice> tile_choices(const Operator& op)
{
    const auto [ex, ey, ez] = extents_of(op);
    std::vector<TileChoice> choices;
    for (const std::int32_t tz : divisors(ez)) {
        for (const std::int32_t ty : divisors(ey)) {
            for (const std::int32_t tx : divisors(ex)) {
                TileChoice choice{{tx, ty, tz}, {}};
                for (const std::int32_t bz : divisors(ez / tz)) {
                    for (const std::int32_t by : divisors(ey / ty)) {
                        for (const std::int32_t bx : divisors(ex / tx)) {
                            choice.groups.push_back({{bx, by}, {bx, by, bz}});
                        }
                    }
                }
                std::ranges::stable_sort(choice.groups, {}, items);
                choices.push_back(std::move(choice));
            }
        }
    }
    return choices;
}

} // namespace

std::vector<std::int32_t> divisors(std::int64_t number)
{
    std::vector<std::int32_t> all;
    for (std::int64_t d = 1; d <= number; ++d) {
        if (number % d == 0) {
            all.push_back(static_cast<std::int32_t>(d));
        }
    }
    return all;
}

Narrowed factor_space(const Operator& op, const DeviceProfile& device, const SpaceOptions& knobs)
{
    const std::vector<KernelChoice> kernels =
        further_choices(knobs, {.patterns = op.default_schedule.patterns, .tile = {}});
    ConfigurationSpace space;
    for (TileChoice& choice : tile_choices(op)) {
        const auto& [tx, ty, tz] = choice.tile;
        const std::size_t groups = space.add_groups(std::move(choice.groups));
        for (KernelChoice kernel : kernels) {
            kernel.tile = {tx, ty};
            if (op.grid.extents.size() > 2) {
                kernel.tile.push_back(tz);
            }
            space.add_kernel(std::move(kernel), groups);
        }
    }
    constexpr std::int64_t most_outputs = 1024; // of a tile, see Schedule
    const SpaceCondition small_tile = condition_on_kernels("T", [](const KernelChoice& kernel) {
        return std::accumulate(kernel.tile.begin(), kernel.tile.end(), std::int64_t{1},
                               std::multiplies<>()) <= most_outputs;
    });
    const SpaceCondition small_group{
        .parts = "GR",
        .holds = [limit = device.limits.work_group_size](const KernelChoice& kernel, std::size_t) {
            return [limit, split = kernel.split](const GroupChoice& group, std::int64_t) {
                return items(group) * split <= limit;
            };
        }};
    return narrowed(std::move(space), {small_tile, small_group});
}

SpaceOptions template_knobs(const Operator& op)
{
    SpaceOptions knobs;
    std::string buffers;
    for (std::size_t input = 0; input < op.inputs.size(); ++input) {
        buffers += "buffer,";
    }
    // The output is not read, and so stays an image.
    knobs.values = {{'M', {"", buffers + "image"}}, {'B', {"", "splat"}}, {'R', {""}}};
    const auto legal = [&](const std::vector<std::string>& unroll, std::int32_t split) {
        Schedule schedule = op.default_schedule;
        schedule.unroll = unroll;
        schedule.split = split;
        return is_legal(op, schedule);
    };
    std::vector<std::string> taps;
    for (const std::string& loop : op.reduction_loops) {
        if (loop.front() == 'k' && loop.size() > 1) { // kd, kh, kw
            taps.push_back(loop);
        }
    }
    // Texels that an iteration of the innermost loop reads, which tells whether writing loops out
    // changes anything.
    const auto turn_of = [&](const std::vector<std::string>& unroll) {
        Schedule schedule = op.default_schedule;
        schedule.unroll = unroll;
        std::int64_t texels = 0;
        for (const auto& input : kernel_footprint(loop_nest(op, schedule)).inputs) {
            texels += input.texels;
        }
        return texels;
    };
    // Loops of one iteration are written out in any case.
    if (!taps.empty() && legal(taps, 1) && turn_of(taps) != turn_of({})) {
        knobs.values['U'] = {"", fmt::format("{}", fmt::join(taps, ","))};
    }
    for (const std::int32_t split : {4, 16, 64}) {
        if (legal({}, split)) {
            knobs.values['R'].push_back(std::to_string(split));
        }
    }
    return knobs;
}

} // namespace texelscope::workbench::space
