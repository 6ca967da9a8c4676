#include "workbench/tuning/work_group_rules.hpp"

#include "base/error.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "devices/registers/register_estimate.hpp"
#include "sim/options/occupancy.hpp"
#include "workbench/study/study.hpp"
#include "workbench/tuning/baseline_rules.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace texelscope::workbench::tuning {
namespace {

/// Tiles along an axis of the grid, over all planes, up to a power of two.
std::int64_t reach(const Operator& op, const KernelChoice& kernel, std::size_t axis)
{
    const std::int64_t tiles = ceil_div(op.grid.extents[axis], kernel.tile[axis]);
    return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(tiles)));
}

/// Our axis for each of the paper's.
std::array<std::size_t, 3> axes_of(const Operator& op)
{
    const bool sweep = !op.grid.tiled.empty();
    return sweep ? std::array<std::size_t, 3>{0, 1, 2} : std::array<std::size_t, 3>{1, 2, 0};
}

std::array<std::int64_t, 3> sides_of_tile(const Schedule& schedule)
{
    std::array<std::int64_t, 3> sides{1, 1, 1};
    std::copy_n(schedule.tile.begin(), std::min(schedule.tile.size(), sides.size()), sides.begin());
    return sides;
}

/// Tiles of the grid along our axes.
std::array<std::int64_t, 3> tiles_of(const Operator& op, const Schedule& schedule)
{
    const std::array<std::int64_t, 3> sides = sides_of_tile(schedule);
    std::array<std::int64_t, 3> tiles{1, 1, 1};
    for (std::size_t axis = 0; axis < op.grid.extents.size(); ++axis) {
        tiles[axis] = ceil_div(op.grid.extents[axis], sides[axis]);
    }
    tiles[2] *= op.grid.planes;
    return tiles;
}

RuleTerms::Kind kind_of(const Operator& op)
{
    if (op.name == "conv2d" || op.name == "matmul") {
        return RuleTerms::Kind::convolution;
    }
    return op.name == "dwconv2d" ? RuleTerms::Kind::depthwise : RuleTerms::Kind::other;
}

std::int64_t simultaneous_items(const DeviceProfile& device, std::optional<int> registers_per_item)
{
    SimulationOptions options = device.simulation;
    if (!options.kernel.registers_per_item) {
        options.kernel.registers_per_item = registers_per_item;
    }
    const double lanes = options.machine.timing.alu_lanes.value_or(options.machine.warp_size);
    const std::int64_t warps =
        std::max<std::int64_t>(std::llround(lanes / options.machine.warp_size), 1);
    return std::min<std::int64_t>(warps, occupancy(options).warps) * options.machine.warp_size;
}

// Within a factor of the square root of two of each other.
bool about_equal(std::int64_t a, std::int64_t b)
{
    return a * a <= 2 * b * b && b * b <= 2 * a * a;
}

} // namespace

KernelChoice framework_kernel(const Operator& op, const DeviceProfile& device)
{
    const bool known = op.name == "matmul" || op.name == "conv2d";
    const Schedule schedule =
        known ? baseline_schedules(Baseline::mnn, op, device).front() : op.default_schedule;
    return {.patterns = schedule.patterns,
            .tile = schedule.tile,
            .unroll = schedule.unroll,
            .split = schedule.split};
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
        if (std::none_of(groups.begin(), groups.end(),
                         [&](const GroupChoice& g) { return g.group == choice.group; })) {
            groups.push_back(choice);
        }
    };
    const std::int64_t limit = device.limits.work_group_size / kernel.split;
    for (std::int64_t items = device.simulation.machine.warp_size; items <= limit; items *= 2) {
        // Sides are powers of two, and so are warps in every profile but where someone sets
        // another: then the next below.
        const auto whole =
            static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(items)));
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

std::string to_string(WorkGroupRule rule)
{
    constexpr std::array names{"I", "II", "III", "IV", "V"};
    return names[static_cast<std::size_t>(rule)];
}

RuleTerms rule_terms(const Operator& op, const Schedule& schedule, const DeviceProfile& device,
                     std::optional<int> registers_per_item)
{
    const std::array<std::size_t, 3> axes = axes_of(op);
    const std::array<std::int64_t, 3> tiles = tiles_of(op, schedule);
    RuleTerms terms;
    for (std::size_t i = 0; i < 3; ++i) {
        terms.problem[i] = tiles[axes[i]];
        terms.group[i] = schedule.group[axes[i]];
    }
    terms.problem[2] *= schedule.split;
    terms.group[2] *= schedule.split;
    terms.cores = device.simulation.machine.cores;
    terms.simultaneous = simultaneous_items(device, registers_per_item);
    const std::int64_t outputs = sides_of_tile(schedule)[axes[0]];
    const bool packed = axes[0] == 0 && outputs % 4 == 0;
    terms.block_bytes = (packed ? outputs / 4 : outputs) * bytes_per_texel(schedule.storage);
    terms.line_bytes =
        (device.simulation.machine.has_l2() ? device.simulation.machine.l2().geometry
                                            : device.simulation.machine.l1().geometry)
            .line.value;
    terms.most_items = device.limits.work_group_size;
    terms.kind = kind_of(op);
    return terms;
}

bool follows(WorkGroupRule rule, const RuleTerms& terms)
{
    // The numbers are those of the paper's equations; w is the work-group, and x, y, z the tiles of
    // the grid along its axes.
    const auto& [x, y, z] = terms.problem;
    const auto& [wx, wy, wz] = terms.group;
    switch (rule) {
    case WorkGroupRule::cores: // (1): ceil(x/w_x) ceil(y/w_y) ceil(z/w_z) = 0 mod N_sc
        return ceil_div(x, wx) * ceil_div(y, wy) * ceil_div(z, wz) % terms.cores == 0;
    case WorkGroupRule::alus: // (2): w_x w_y w_z = 0 mod K_ac
        return wx * wy * wz % terms.simultaneous == 0;
    case WorkGroupRule::cache_line: // (3): w_x d_x U = 0 mod W_cache; i = x, as in the paper's
                                    // experiments
        return wx * terms.block_bytes % terms.line_bytes == 0;
    case WorkGroupRule::padding: // (4): x = 0 mod w_x, y = 0 mod w_y, z = 0 mod w_z
        return x % wx == 0 && y % wy == 0 && z % wz == 0;
    case WorkGroupRule::accesses:
        switch (terms.kind) {
        case RuleTerms::Kind::convolution: // (6): w_x w_y about 2 w_z
            return about_equal(wx * wy, 2 * wz);
        case RuleTerms::Kind::depthwise: // (7): w_x w_y about min(C_x C_y, C_t), C no more than the
                                         // output has
            return about_equal(
                wx * wy, std::min(std::min(x, terms.most_items) * std::min(y, terms.most_items),
                                  terms.most_items));
        case RuleTerms::Kind::other:
            return true;
        }
    }
    return false;
}

bool follows(WorkGroupRule rule, const Operator& op, const Schedule& schedule,
             const DeviceProfile& device)
{
    return follows(rule, rule_terms(op, schedule, device,
                                    estimated_registers(loop_nest(op, schedule), device)));
}

RuleSelection select_by_rules(const Operator& op, const DeviceProfile& device,
                              const ConfigurationSpace& space, const StopToken& stop)
{
    RuleSelection selection;
    for (std::size_t k = 0; k < space.kernel_count(); ++k) {
        check_stop(stop);
        const auto groups = space.groups(k);
        int registers = 0; // of a kernel, whatever its group
        try {
            if (!groups.empty()) {
                registers = estimated_registers(
                    loop_nest(op, schedule_of(space.kernel(k), groups[0])), device);
            }
        } catch (const Error&) {
            continue;
        }
        for (std::size_t g = 0; g < groups.size(); ++g) {
            const RuleTerms terms =
                rule_terms(op, schedule_of(space.kernel(k), groups[g]), device, registers);
            int followed = 0;
            for (const WorkGroupRule rule : all_work_group_rules) {
                if (follows(rule, terms)) {
                    ++followed;
                    ++selection.following[static_cast<std::size_t>(rule)];
                }
            }
            if (followed > selection.rules) {
                selection.rules = followed;
                selection.candidates.clear();
            }
            if (followed == selection.rules) {
                selection.candidates.push_back(space.first(k) + static_cast<std::int64_t>(g));
            }
        }
    }
    return selection;
}

std::optional<double> importance_score(std::span<const Nanoseconds> times,
                                       const std::vector<bool>& follows)
{
    if (times.size() != follows.size()) {
        throw bad_input("there are not as many times as work-groups", "importance score of a rule");
    }
    if (times.empty()) {
        return std::nullopt;
    }
    const auto [fastest, slowest] = std::minmax_element(times.begin(), times.end());
    const double range = (*slowest - *fastest).value;
    double sum = 0;
    std::int64_t count = 0;
    for (std::size_t n = 0; n < times.size(); ++n) {
        if (follows[n]) {
            sum += (*slowest - times[n]).value;
            ++count;
        }
    }
    if (count == 0 || !(range > 0)) {
        return std::nullopt;
    }
    return sum / (static_cast<double>(count) * range);
}

ConfigurationSpace work_group_space(const Operator& op, const DeviceProfile& device)
{
    const bool known = op.name == "matmul" || op.name == "conv2d";
    const std::vector<Schedule> tflite =
        known ? baseline_schedules(Baseline::tflite, op, device) : std::vector<Schedule>{};
    const Schedule schedule = tflite.empty() ? op.default_schedule : tflite.front();
    const std::array<std::int64_t, 3> tiles = tiles_of(op, schedule);
    const std::int64_t limit = device.limits.work_group_size / schedule.split;
    std::vector<GroupChoice> groups;
    for (std::int32_t z = 1; z <= std::min(tiles[2], limit); ++z) {
        for (std::int32_t y = 1; y <= tiles[1] && std::int64_t{z} * y <= limit; ++y) {
            for (std::int32_t x = 1; x <= tiles[0] && std::int64_t{z} * y * x <= limit; ++x) {
                // TFLite's lanes run along the width first
                groups.push_back({{known ? 1 : x, y}, {x, y, z}});
            }
        }
    }
    ConfigurationSpace space;
    space.add_kernel({.patterns = schedule.patterns,
                      .tile = schedule.tile,
                      .unroll = schedule.unroll,
                      .split = schedule.split},
                     space.add_groups(std::move(groups)));
    return space;
}

} // namespace texelscope::workbench::tuning
