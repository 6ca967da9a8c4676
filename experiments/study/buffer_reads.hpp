#pragma once

#include "codegen/nest/loop_nest.hpp"
#include "devices/profile/device_profile.hpp"
#include "sim/simulate.hpp"

#include <cstdint>
#include <string>

namespace texelscope::experiments {

// Kernels that read buffers, on a simulated device. A buffer is an image that lies in memory row by row; what differs is the
// way to it. Where buffers have a first level of their own (limits.buffer_l1), that takes the place of the L1, with the rest of
// it the images': a profile says no more. Where the L1 is for textures only, reads go to the L2 at once, and share its
// port: of the L1 remains one line, as long as those of the L2 and with its latency, so that only reads of the line
// that was read just before are joined.

/// The device as reads of buffers meet it. Throws missing() where the profile does not say how they go, or has no cache
/// for it.
[[nodiscard]] DeviceProfile reading_buffers(DeviceProfile device);
/// What became of the way, for people.
[[nodiscard]] std::string buffer_way(const DeviceProfile& device);

/// The same kernel with its inputs in images of one row, one for each buffer. Throws bad_input where a read takes several
/// texels at once.
[[nodiscard]] LoopNest buffers_as_rows(LoopNest nest);

/// Throws bad_input for a kernel that has inputs in images and in buffers, and what the functions above throw.
void check_simulated(const LoopNest& nest, const DeviceProfile& device);

/// simulated_time() of a kernel whose inputs all lie in images or all in buffers. Throws as check_simulated() does.
[[nodiscard]] Nanoseconds simulated_time_of_memory(const LoopNest& nest, const DeviceProfile& device,
                                                   std::int64_t most_accesses, const StopToken& stop = {});

} // namespace texelscope::experiments
