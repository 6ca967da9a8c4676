#pragma once

#include "devices/jobs/job.hpp"
#include "traces/image.hpp"

#include <cstdint>
#include <span>

namespace texelscope::devices {

/// Where the launches of a listed walk go it.
enum class WalkPlace {
    same, ///< as it is, so that outer caches hold what they can of it
    /// Each launch elsewhere in the image, by whole squares of 32x32 texels where it is made of
    /// such, so that outer caches have not just seen it; which strides leave which blocks up to
    /// that size stays the same.
    moved,
};

/// A walk through an image of zeros in which texels may occur again, as a job without warm-up and
/// samples: `reads` reads from its first texel on, over and over. A list in constant memory says
/// the places, four at a time, and the next four are fetched while the reads before them are under
/// way: the place of a read is its entry plus a number that the read before has brought, which is
/// zero. (A list in local memory would take its room from the texture cache of an NVIDIA GPU.)
/// Throws bad_input where the walk is empty or leaves the image, or for an image of more than 32768
/// texels along a side.
[[nodiscard]] Job listed_walk_job(Extent2D extent, std::span<const Texel> walk, std::int64_t reads,
                                  WalkPlace place);

/// Texels of a walk whose list every device has room for: 64 KB of constant memory, less what walks
/// of odd lengths repeat.
inline constexpr std::int64_t most_listed_texels = 16384;

} // namespace texelscope::devices
