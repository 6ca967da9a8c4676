#pragma once

#include "cli/command.hpp"
#include "devices/jobs/device_listing.hpp"
#include "devices/jobs/reference_times.hpp"

#include <string>

namespace texelscope::cli {

/// What OpenCL tells of a device, as `devices` has it.
[[nodiscard]] ordered_json device_json(const OpenClDeviceInfo& device);

/// What the reference kernel took around a result's samples: {median_ns, spread}, or null.
[[nodiscard]] ordered_json reference_json(const ReferenceTimes& reference);

/// `devices --on PLACE`: each device with its limits, formats and extensions, and the place's clock
/// and temperature now; as members of the JSON, and as text.
[[nodiscard]] ordered_json place_json(const std::string& on, const DeviceListing& listing);
[[nodiscard]] std::string place_text(const std::string& on, const DeviceListing& listing);

} // namespace texelscope::cli
