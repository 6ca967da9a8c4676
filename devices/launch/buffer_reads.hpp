#pragma once

#include "codegen/nest/loop_nest.hpp"
#include "devices/profile/device_profile.hpp"

#include <string>

namespace texelscope::devices {

// Kernels that read buffers, on a simulated device. A buffer is an image that lies in memory row by
// row; what differs is the way to it. Where the profile gives buffers a first level
// (limits.buffer_l1), that is the L1 of the images (limits.buffers_in_l1), or a cache beside it
// that differs in its capacity alone. Where the L1 is for textures only, each warp access asks the
// level behind it for its lines. The texture unit of the profile serves all reads alike.

/// The way that reads of buffers take. Throws missing() where the profile does not say so, or has
/// no cache on it.
[[nodiscard]] BufferPath buffer_path(const DeviceProfile& device);
/// What became of the way, for people.
[[nodiscard]] std::string buffer_way(const DeviceProfile& device);

/// The same kernel as the simulator reads it: with each buffer an image of one row that is marked
/// as a buffer.
[[nodiscard]] LoopNest buffers_as_rows(LoopNest nest);

/// Whether an input lies in a buffer.
[[nodiscard]] bool reads_buffers(const LoopNest& nest);

} // namespace texelscope::devices
