#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace texelscope::sim {

struct Machine;
struct SimulationOptions;

/// Registers that a work-item takes on a core (Machine::register_rule) when its kernel needs
/// `needed`.
[[nodiscard]] std::optional<int> registers_taken(const Machine& machine, std::optional<int> needed);

/// Whether a kernel whose work-groups have so many work-items runs in warps of twice the size
/// (Machine::double_warp_registers). If nobody knows its registers it does not.
[[nodiscard]] bool has_double_warps(const SimulationOptions& options, std::int64_t items_of_group);
/// The machine with warps of twice the size for every kernel.
[[nodiscard]] Machine with_double_warps(Machine machine);

/// Warps that a core holds at a time, and what limits them.
struct Occupancy {
    /// What limits the warps. Where several limits are equally low, the first of these is named.
    enum class Limiter {
        warp_limit,     ///< warp slots of the core
        local_memory,   ///< local memory of the core, which its work-groups share
        registers,      ///< registers of the core
        override_value, ///< an occupancy that was set by hand
        group_limit,    ///< number of work-groups that a core takes
        work_group,     ///< there is room for more warps, but not for another whole work-group
    };
    int warps = 1;                              ///< number of warps that have room on a core
    Limiter room_limiter = Limiter::warp_limit; ///< what limits `warps`
    /// Number of warps that are there: less than `warps` where work-groups come as a whole (batch,
    /// whole), their size is known, and they do not fill the room.
    int resident = 1;
    Limiter limiter = Limiter::warp_limit; ///< what limits `resident`
    std::int64_t group_warps = 0;          ///< warps of one work-group; 0: not known
    /// Work-groups that are there at a time; 0 where this is not known, or where not even one has
    /// room as a whole.
    std::int64_t groups = 0;

    bool operator==(const Occupancy&) const = default;
};
/// The occupancy of a kernel on a machine; `group_warps`: warps of a work-group, 0 where not known.
/// The room for warps is what the kernel's compiler has told; else, in each register partition,
/// floor(registers of the partition / (registers taken * warp size)), but at least 1. It is at most
/// what local memory and the core's warp limit allow. An occupancy set by hand overrides all this.
[[nodiscard]] Occupancy occupancy(const SimulationOptions& options, std::int64_t group_warps = 0);

/// Throws bad_input where a work-group has more warps than there is room for. For kernels with
/// barriers: a GPU refuses to launch such a group. A CPU's compiler cuts the kernel at its
/// barriers, and the cost of that is not known here.
void require_room_for_group(const Occupancy& occupancy, const SimulationOptions& options);

/// "registers", "work-group limit" ...
[[nodiscard]] std::string to_string(Occupancy::Limiter limiter);
/// "12 warps", or "10 of 12 warps" where work-groups leave room.
[[nodiscard]] std::string warps_text(const Occupancy& occupancy);
/// The limiter with its numbers, e.g. "registers, 64 for a work-item in steps of 4".
[[nodiscard]] std::string reason(const Occupancy& occupancy, const SimulationOptions& options);

} // namespace texelscope::sim
