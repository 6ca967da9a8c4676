#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace texelscope::sim {

struct Machine;
struct SimulationOptions;

/// Registers that a work-item takes of its core's, by the rule, where its kernel needs so many.
[[nodiscard]] std::optional<int> registers_taken(const Machine& machine, std::optional<int> needed);

/// Warps that a core holds at a time, and what keeps more from being there.
struct Occupancy {
    /// Of several that leave equally few, the first is named.
    enum class Limiter {
        warp_limit,     ///< slots of the core
        local_memory,   ///< of the core, which its work-groups share
        registers,      ///< of the core
        override_value, ///< set by hand
        group_limit,    ///< work-groups that a core takes
        work_group,     ///< there is room for warps, but for no other work-group as a whole
    };
    int warps = 1; ///< that there is room for
    Limiter room_limiter = Limiter::warp_limit;
    /// Of that room, what work-groups fill where they come whole (batch, whole) and their size is
    /// known; else all of it.
    int resident = 1;
    Limiter limiter = Limiter::warp_limit; ///< of `resident`
    std::int64_t group_warps = 0;          ///< of one work-group; 0: not known
    /// That are there at a time; 0: not known, or one has no room as a whole.
    std::int64_t groups = 0;

    bool operator==(const Occupancy&) const = default;
};
/// Room is what the kernel's compiler tells, else floor(registers of a partition / (registers taken
/// * warp size)), at least 1, in each partition; at most what local memory and the core's limit
/// leave; or the override. `group_warps`: of a work-group.
[[nodiscard]] Occupancy occupancy(const SimulationOptions& options, std::int64_t group_warps = 0);

/// Throws bad_input where the warps of a work-group are more than there is room for: of kernels
/// whose work-items meet at barriers. A GPU refuses to launch them; a CPU's compiler cuts the
/// kernel at its barriers, and nobody here knows its price.
void require_room_for_group(const Occupancy& occupancy, const SimulationOptions& options);

/// "registers", "work-group limit" ...
[[nodiscard]] std::string to_string(Occupancy::Limiter limiter);
/// "12 warps", or "10 of 12 warps" where work-groups leave room.
[[nodiscard]] std::string warps_text(const Occupancy& occupancy);
/// The limiter with its numbers, e.g. "registers, 64 for a work-item in steps of 4".
[[nodiscard]] std::string reason(const Occupancy& occupancy, const SimulationOptions& options);

} // namespace texelscope::sim
