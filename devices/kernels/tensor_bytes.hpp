#pragma once

#include "codegen/nest/loop_nest.hpp"

#include <cstddef>
#include <vector>

namespace texelscope::devices {

/// Texels (4 floats each) as they are stored on a device, one after the other: float32, or rounded to half precision.
[[nodiscard]] std::vector<std::byte> stored_bytes(Storage storage, const std::vector<float>& texels);

/// The way back.
[[nodiscard]] std::vector<float> stored_texels(Storage storage, const std::vector<std::byte>& bytes);

} // namespace texelscope::devices
