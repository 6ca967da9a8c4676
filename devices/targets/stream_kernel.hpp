#pragma once

#include "devices/jobs/job.hpp"
#include "devices/targets/target.hpp"

namespace texelscope::devices {

/// The job of a stream; the caller sets its warm-up and samples. Where work-items begin and how
/// they advance are arguments of the kernel, so that the compiler cannot know which reads are
/// equal. Everything that is read is summed up, so that no read can be left out: argument 1 is a
/// buffer of one float for each work-item, the sum of all numbers that it read. Argument 0 holds
/// the elements, which are zeros. Throws bad_input for a width that the memory does not have, or
/// elements that are no power of two.
[[nodiscard]] Job stream_job(const Stream& stream);

} // namespace texelscope::devices
