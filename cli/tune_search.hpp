#pragma once

#include "cli/command.hpp"
#include "codegen/operator.hpp"
#include "devices/device_profile.hpp"
#include "experiments/searches/strategy.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace texelscope::cli {

/// `tune` with a strategy that asks the timed simulator: searches, prints the trials by time (the `top` best; 0: all)
/// and returns the exit code. `runs`: budget; nothing: the strategy's own. Interrupted, it prints the trials that are
/// done, then throws Interrupted.
int search_and_print(const Strategy& strategy, const Operator& op, const DeviceProfile& device,
                     std::optional<std::int64_t> runs, std::size_t top, const GlobalOptions& global);

} // namespace texelscope::cli
