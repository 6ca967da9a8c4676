#include "sim/options/occupancy.hpp"

#include "base/error.hpp"
#include "sim/options/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>

namespace texelscope::sim {
namespace {

using Limiter = Occupancy::Limiter;

/// Nothing where registers do not limit.
std::optional<std::int64_t> warps_by_registers(const SimulationOptions& options)
{
    const Machine& machine = options.machine;
    if (options.kernel.compiled_warps) {
        return *options.kernel.compiled_warps;
    }
    const std::optional<int> taken = registers_taken(machine, options.kernel.registers_per_item);
    if (!machine.registers_per_core || !taken) {
        return std::nullopt;
    }
    const int parts = machine.register_partitions;
    const std::int64_t per_warp = std::int64_t{*taken} * machine.warp_size;
    return std::max<std::int64_t>(1, *machine.registers_per_core / parts / per_warp) * parts;
}

std::string registers_reason(const SimulationOptions& options)
{
    if (options.kernel.compiled_warps) {
        return "as compiled";
    }
    const std::string each =
        fmt::format("{} for a work-item", options.kernel.registers_per_item.value_or(0));
    if (options.machine.register_rule == RegisterRule::half_above) {
        return each + ": above 32, half of the warps";
    }
    return options.machine.register_step > 1
               ? each + fmt::format(" in steps of {}", options.machine.register_step)
               : each;
}

std::string room_reason(const Occupancy& occupancy, const SimulationOptions& options)
{
    const std::string name = to_string(occupancy.room_limiter);
    if (occupancy.room_limiter == Limiter::registers) {
        return name + ", " + registers_reason(options);
    }
    if (occupancy.room_limiter == Limiter::local_memory && occupancy.group_warps > 0) {
        const std::int64_t groups = options.kernel.local_warps.value_or(0) / occupancy.group_warps;
        return name + fmt::format(", room for {} work-group{}", groups, groups == 1 ? "" : "s");
    }
    return name;
}

} // namespace

std::optional<int> registers_taken(const Machine& machine, std::optional<int> needed)
{
    constexpr int half = 32; // of what a work-item can have
    if (!needed) {
        return std::nullopt;
    }
    if (machine.register_rule == RegisterRule::pool) {
        return (*needed + machine.register_step - 1) / machine.register_step *
               machine.register_step;
    }
    return *needed <= half ? half : 2 * half;
}

bool has_double_warps(const SimulationOptions& options, std::int64_t items_of_group)
{
    const Machine& machine = options.machine;
    const std::optional<int> taken = registers_taken(machine, options.kernel.registers_per_item);
    return machine.double_warp_registers && taken && *taken <= *machine.double_warp_registers &&
           items_of_group > machine.warp_size;
}

Machine with_double_warps(Machine machine)
{
    machine.warp_size *= 2;
    machine.double_warp_registers = {};
    return machine;
}

Occupancy occupancy(const SimulationOptions& options, std::int64_t group_warps)
{
    Occupancy found{.warps = options.machine.warps_per_core, .group_warps = group_warps};
    const auto leave = [&](std::int64_t warps, Limiter limiter) {
        if (warps < found.warps) {
            found.warps = static_cast<int>(warps);
            found.room_limiter = limiter;
        }
    };
    if (const auto warps = options.kernel.local_warps) {
        leave(*warps, Limiter::local_memory);
    }
    if (const auto warps = warps_by_registers(options)) {
        leave(*warps, Limiter::registers);
    }
    if (options.kernel.occupancy) {
        found.warps = *options.kernel.occupancy;
        found.room_limiter = Limiter::override_value;
    }
    found.resident = found.warps;
    found.limiter = found.room_limiter;
    if (options.machine.group_schedule == GroupSchedule::refill || group_warps == 0 ||
        group_warps > found.warps) {
        return found;
    }
    found.groups = found.warps / group_warps;
    const auto most = options.machine.groups_per_core;
    if (options.machine.group_schedule == GroupSchedule::whole && most && found.groups > *most) {
        found.groups = *most;
        found.limiter = Limiter::group_limit;
    } else if (found.warps % group_warps != 0) {
        found.limiter = Limiter::work_group;
    }
    found.resident = static_cast<int>(found.groups * group_warps);
    return found;
}

void require_room_for_group(const Occupancy& occupancy, const SimulationOptions& options)
{
    if (occupancy.group_warps > occupancy.warps) {
        throw bad_input(
            fmt::format("work-items meet at barriers, and a core has no room for the {} warps of a "
                        "work-group, but for {} ({})",
                        occupancy.group_warps, occupancy.warps, room_reason(occupancy, options)),
            {}, "take a smaller work-group, or a kernel without barriers (no S, no R)");
    }
}

std::string to_string(Limiter limiter)
{
    constexpr std::array names{"warp limit", "local memory",     "registers",
                               "override",   "work-group limit", "work-group"};
    return names[static_cast<std::size_t>(limiter)];
}

std::string warps_text(const Occupancy& occupancy)
{
    const std::string room =
        fmt::format("{} {}", occupancy.warps, occupancy.warps == 1 ? "warp" : "warps");
    return occupancy.resident < occupancy.warps ? fmt::format("{} of {}", occupancy.resident, room)
                                                : room;
}

std::string reason(const Occupancy& occupancy, const SimulationOptions& options)
{
    switch (occupancy.limiter) {
    case Limiter::group_limit:
        return fmt::format("{}, {} of them", to_string(occupancy.limiter), occupancy.groups);
    case Limiter::work_group:
        return fmt::format("{}, another of {} warps does not fit; {}", to_string(occupancy.limiter),
                           occupancy.group_warps, room_reason(occupancy, options));
    default:
        break;
    }
    const bool cut = occupancy.group_warps > occupancy.warps;
    return room_reason(occupancy, options) +
           (cut ? fmt::format("; a work-group of {} warps does not fit whole",
                              occupancy.group_warps)
                : "");
}

} // namespace texelscope::sim
