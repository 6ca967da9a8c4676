#pragma once

#include "devices/jobs/job.hpp"
#include "devices/targets/target.hpp"

namespace texelscope::devices {

/// The kernel of a stream, without warm-up and samples. Where the work-items begin and how they go
/// on are arguments, so that no compiler knows which reads are equal, and everything that is read
/// is summed up: argument 1 is a buffer of one float for each work-item, the sum of all numbers
/// that it read. Argument 0 holds the elements, zeros here. Throws bad_input for a width that the
/// memory does not have, or elements that are no power of two.
[[nodiscard]] Job stream_job(const Stream& stream);

} // namespace texelscope::devices
