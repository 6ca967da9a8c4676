#pragma once

#include "devices/jobs/opencl_device_info.hpp"
#include "networks/plan/plan.hpp"

namespace texelscope::networks {

/// The rules that a device imposes on values in one buffer.
[[nodiscard]] ArenaRules arena_rules(const devices::OpenClDeviceInfo& device);

/// Returns the plan with everything that its kernels make in one buffer. A value that lies in an
/// image stays one if the device can make images from buffers and if padding its rows as the device
/// demands costs at most an eighth more memory. Otherwise longer rows are tried (across: the packed
/// dimension and the last of the others, or all dimensions but the first); if that does not help
/// either, the value becomes a buffer. Values that are carried from run to run lie outside, and
/// need no second memory (with_copies_back()). Schedules change only in their memory (M). Throws
/// bad_input as lower() does.
[[nodiscard]] Plan in_arena(Plan plan, const ArenaRules& rules);

} // namespace texelscope::networks
