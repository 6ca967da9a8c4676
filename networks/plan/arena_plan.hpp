#pragma once

#include "devices/jobs/opencl_device_info.hpp"
#include "networks/plan/plan.hpp"

namespace texelscope::networks {

/// What such a device asks of values in one buffer.
[[nodiscard]] ArenaRules arena_rules(const devices::OpenClDeviceInfo& device);

/// The plan with all that its kernels make in one buffer. An image stays one where the device makes
/// images from buffers and where its rows, padded as the device asks for it, take at most an eighth
/// more; else its dimensions are put into longer rows (what texels hold and the last of the others
/// across, or all but the first), and where that does not help either the value lies in a buffer.
/// What is carried from run to run lies beside it, and needs no second memory (with_copies_back()).
/// Schedules stay as they are but for their memory. Throws bad_input as lower() does.
[[nodiscard]] Plan in_arena(Plan plan, const ArenaRules& rules);

} // namespace texelscope::networks
