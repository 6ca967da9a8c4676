#pragma once

#include "codegen/nest/loop_nest.hpp"
#include "devices/profile/device_profile.hpp"
#include "sim/simulate.hpp"

#include <cstdint>

namespace texelscope::experiments {

/// Time of a kernel on the simulated device, from a sample of that many warp accesses where it has more (sampled_time());
/// 0: all are simulated, whatever the time.
[[nodiscard]] Nanoseconds simulated_time(const LoopNest& nest, const DeviceProfile& device, std::int64_t most_accesses,
                                         const StopToken& stop = {});

} // namespace texelscope::experiments
