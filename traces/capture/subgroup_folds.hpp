#pragma once

#include "traces/capture/subgroup_functions.hpp"

#include <cstddef>
#include <optional>
#include <span>

namespace texelscope::traces {

/// Reductions and scans, in the order of the work-items, by parts of `part` of them. Half numbers
/// are rounded after each step. Throws std::runtime_error for a type that has no such function.
void fold_values(const SubgroupFunction& function, std::optional<SubgroupType> type,
                 std::size_t part, std::span<const SubgroupLane> lanes);

/// Whether all work-items that call have equal values, as an int.
void compare_values(const SubgroupFunction& function, std::optional<SubgroupType> type,
                    std::span<const SubgroupLane> lanes);

} // namespace texelscope::traces
