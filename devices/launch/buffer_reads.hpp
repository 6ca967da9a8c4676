#pragma once

#include "devices/profile/device_profile.hpp"

#include <string>

namespace texelscope::codegen {
struct LoopNest;
} // namespace texelscope::codegen

namespace texelscope::devices {

// How a simulated device runs kernels that read buffers. A buffer is simulated as an image that
// lies in memory row by row; only the path of its reads through the caches differs. If the profile
// gives buffers a first level (limits.buffer_l1), that is either the L1 of the images
// (limits.buffers_in_l1) or a cache beside it that differs only in its capacity. If the L1 is for
// textures only, each warp access asks the level behind L1 for its lines. The texture unit serves
// reads of images and buffers alike.

/// The path of reads of buffers through the caches. Throws missing() where the profile does not
/// tell it, or has no cache on that path.
[[nodiscard]] BufferPath buffer_path(const DeviceProfile& device);
/// A description of that path, for people.
[[nodiscard]] std::string buffer_way(const DeviceProfile& device);

/// The same kernel in the form that the simulator takes: each buffer becomes an image of one row
/// that is marked as a buffer.
[[nodiscard]] LoopNest buffers_as_rows(LoopNest nest);

/// Whether an input lies in a buffer.
[[nodiscard]] bool reads_buffers(const LoopNest& nest);

} // namespace texelscope::devices
