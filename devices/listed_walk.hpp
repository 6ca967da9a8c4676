#pragma once

#include "devices/job.hpp"
#include "devices/target.hpp"

namespace texelscope {

/// A chase along Route::listed as a job without warm-up and samples: `reads` reads from the first texel of the walk on, over
/// and over. The list lies in local memory, which the texture cache has no part in, and its next entry is fetched while the
/// read before is under way: the place of a read is its entry plus a number that the read before has brought, which is
/// zero. Each launch goes the walk at another place of the image, moved by whole squares of 32x32 texels where the image is
/// made of such, so that outer caches have not just seen it; which strides leave which blocks up to that size stays the
/// same. Throws bad_input for a buffer, and for an image of more than 32768 texels along a side.
[[nodiscard]] Job listed_walk_job(const Chase& chase, std::int64_t reads);

} // namespace texelscope
