#pragma once

#include "devices/jobs/job.hpp"
#include "devices/targets/target.hpp"

namespace texelscope::devices {

// The measurements of a target as jobs, without warm-up and samples.

/// A chase over different texels: each holds the place of the next, the last that of the first;
/// `reads` of them from the first on. Throws bad_input where a texel occurs twice, and for more
/// than 2^31 texels.
[[nodiscard]] Job chase_job(const Chase& chase, std::int64_t reads);

/// The reads of a launch: images of zeros, and each coordinate takes a number of the read before,
/// which is zero, so that it waits for that. Registers are kept live by what a loop would do with
/// them were that number not zero.
[[nodiscard]] Job read_job(const ReadKernel& kernel);

[[nodiscard]] Job arithmetic_job(const Arithmetic& kernel);

/// Every work-item of one group takes a number at a counter in local memory; its only output.
[[nodiscard]] Job arrival_job(const Dim3& local);

[[nodiscard]] Job empty_job();

/// A copy of as many bytes, rounded up to texels of RGBA float32; an image is about square.
[[nodiscard]] Job copy_job(const Transfer& transfer);

} // namespace texelscope::devices
