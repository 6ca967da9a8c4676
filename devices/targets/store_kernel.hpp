#pragma once

#include "devices/jobs/job.hpp"
#include "devices/targets/target.hpp"
#include "traces/launch.hpp"

namespace texelscope::devices {

// The kernel of a StorePattern: as a job, and as a launch for the simulator.

/// The caller sets its warm-up and samples. Argument 0 is the output. Throws bad_input for columns
/// that do not divide a group, or a row.
[[nodiscard]] Job store_job(const StorePattern& pattern);

/// The same; each work-item also reads one texel of an image of one, since the simulator runs warps
/// that read.
[[nodiscard]] Launch store_launch(const StorePattern& pattern);

} // namespace texelscope::devices
