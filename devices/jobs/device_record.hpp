#pragma once

// C++17, as everything that texelscope-agent is built from.

#include "devices/jobs/opencl_device_info.hpp"
#include "devices/jobs/sized_blocks.hpp"

namespace texelscope::devices {

/// Appends what a device tells of itself to a record (docs/reference/machines.md, "Job files").
void write_device(RecordText& record, const OpenClDeviceInfo& device);
/// Reads it again. Throws bad_input as the reader does.
[[nodiscard]] OpenClDeviceInfo read_device(RecordReader& reader);

} // namespace texelscope::devices
