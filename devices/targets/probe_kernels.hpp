#pragma once

#include "devices/jobs/job.hpp"
#include "devices/targets/target.hpp"

namespace texelscope::devices {

// The jobs that measure what a Target is asked for. The caller sets their warm-up and samples.

/// A chase over distinct texels: each holds the place of the next, and the last that of the first.
/// The job makes `reads` reads from the first on. Throws bad_input where a texel occurs twice, and
/// for more than 2^31 texels.
[[nodiscard]] Job chase_job(const Chase& chase, std::int64_t reads);

/// The reads of a launch. All images hold zeros, and each coordinate adds a number from the read
/// before, which is zero, so that each read waits for the one before. Registers are kept live by
/// code that would use them if that number were not zero; the compiler cannot know that it is.
[[nodiscard]] Job read_job(const ReadKernel& kernel);

[[nodiscard]] Job arithmetic_job(const Arithmetic& kernel);

/// Each work-item of one group takes a number from a counter in local memory and writes it to the
/// job's only output.
[[nodiscard]] Job arrival_job(const Dim3& local);

[[nodiscard]] Job empty_job();

/// A copy of that many bytes, rounded up to texels of RGBA float32. An image is made about square.
[[nodiscard]] Job copy_job(const Transfer& transfer);

} // namespace texelscope::devices
