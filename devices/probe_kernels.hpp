#pragma once

#include "devices/job.hpp"
#include "devices/target.hpp"

namespace texelscope {

// The kernels of a target's measurements as jobs, without warm-up and samples.

/// A chase over different texels: each holds the place of the next, the last that of the first; `reads` of them from the first
/// on. Throws bad_input where a texel occurs twice.
[[nodiscard]] Job chase_job(const Chase& chase, std::int64_t reads);

/// The first `reads` of a walk through an image of zeros: a list in local memory says the places, and each is moved by what the
/// read before has brought, which is zero. The next place is on its way from local memory while the texel is, so that it costs
/// every read the same, and does not pass through the texture cache. Where that cache also holds buffers, it is not
/// empty when the walk starts, but what is in it (the list, while it was copied) is older than all texels and leaves first;
/// and where it also holds local memory, it is smaller by the list. Its only output is the sum of the zeros and the place read
/// last, x and y. Throws bad_input where the walk has no texels, or leaves the image or 65536 x 65536 texels.
[[nodiscard]] Job walk_job(const Walk& walk, std::int64_t reads);

/// The reads of a launch: images of zeros, and each coordinate takes a number of the read before, which is zero, so that
/// it waits for that. Registers are kept live by what a loop would do with them were that number not zero.
[[nodiscard]] Job read_job(const ReadKernel& kernel);

[[nodiscard]] Job arithmetic_job(const Arithmetic& kernel);

/// Every work-item of one group takes a number at a counter in local memory; its only output.
[[nodiscard]] Job arrival_job(const Dim3& local);

[[nodiscard]] Job empty_job();

} // namespace texelscope
