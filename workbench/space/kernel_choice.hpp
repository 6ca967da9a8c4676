#pragma once

#include "codegen/operators/operator.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace texelscope::workbench::space {

/// What decides text and images: a schedule whose warp shape and work-group are not said.
using KernelChoice = Schedule;
/// The parts that decide which work-items run together.
struct GroupChoice {
    std::array<std::int32_t, 2> warp{1, 1};
    Dim3 group{1, 1, 1};
};
[[nodiscard]] Schedule schedule_of(const KernelChoice& kernel, const GroupChoice& group);
/// What is asked of a kernel in the group of that number: itself where its reads depend on the
/// group, else what stands for all.
[[nodiscard]] Schedule standing_for(const KernelChoice& kernel, std::span<const GroupChoice> groups,
                                    std::size_t g);
[[nodiscard]] KernelChoice kernel_of(Schedule schedule);

/// Whether the operator takes the schedule.
[[nodiscard]] bool is_legal(const Operator& op, const Schedule& schedule);

} // namespace texelscope::workbench::space
