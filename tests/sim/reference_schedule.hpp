#pragma once

#include "sim/options/options.hpp"
#include "tests/sim/reference_core.hpp"

#include <cstddef>
#include <optional>

namespace texelscope::test {
using namespace sim;

/// Fresh warps in the core's slots.
void restart_schedule(ReferenceCoreState& core, const SimulationOptions& options);

/// The slot that issues at `now`, at which the core can issue; nothing where none may.
std::optional<std::size_t> choose_warp(ReferenceCoreState& core, const SimulationOptions& options, Tick now);

/// That slot has issued.
void remember_issue(ReferenceCoreState& core, const SimulationOptions& options, std::size_t slot);

} // namespace texelscope::test
