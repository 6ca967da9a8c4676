#pragma once

#include "devices/jobs/device_listing.hpp"
#include "devices/runners/job_runner.hpp"

namespace texelscope::devices {

/// All OpenCL devices of a place's machine with what they tell of themselves, and the machine's
/// clock and temperature now; where the place names a device, that one alone. Throws as
/// make_job_runner() does, and missing where there is no device.
[[nodiscard]] DeviceListing list_place(const JobPlace& place, const JobRunnerOptions& options = {});

} // namespace texelscope::devices
