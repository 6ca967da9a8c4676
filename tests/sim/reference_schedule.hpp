#pragma once

#include "sim/options/options.hpp"
#include "tests/sim/reference_core.hpp"

#include <cstddef>
#include <optional>

namespace texelscope::test {
using namespace sim;

/// Fresh warps in the core's slots.
void restart_schedule(ReferenceCoreState& core, const SimulationOptions& options);

/// The slot of the partition that issues at `now`, at which its port is free; nothing where none
/// may. `unit_free`: whether the texture unit is.
std::optional<std::size_t> choose_warp(ReferenceCoreState& core, std::size_t partition,
                                       const SimulationOptions& options, bool unit_free, Tick now);

/// That slot has issued.
void remember_issue(ReferenceCoreState& core, const SimulationOptions& options, std::size_t slot);

} // namespace texelscope::test
