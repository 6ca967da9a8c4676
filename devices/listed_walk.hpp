#pragma once

#include "devices/job.hpp"
#include "traces/image.hpp"

#include <cstdint>
#include <span>

namespace texelscope {

/// Where the launches of a listed walk go it.
enum class WalkPlace {
    same, ///< as it is, so that outer caches hold what they can of it
    moved, ///< each launch elsewhere in the image, by whole squares of 32x32 texels where it is made of such, so that outer
           ///< caches have not just seen it; which strides leave which blocks up to that size stays the same
};

/// A walk through an image of zeros in which texels may occur again, as a job without warm-up and samples: `reads` reads from its
/// first texel on, over and over. A list in local memory says the places, which the texture cache has no part in, and its next
/// entry is fetched while the read before is under way: the place of a read is its entry plus a number that the read before
/// has brought, which is zero. What the list costs is the same for every read. Where the texture cache also holds local
/// memory, it is smaller by the list; where it holds buffers, what it has of the list is older than all texels and leaves
/// first. Throws bad_input where the walk is empty or leaves the image, or for an image of more than 32768 texels along a side.
[[nodiscard]] Job listed_walk_job(Extent2D extent, std::span<const Texel> walk, std::int64_t reads, WalkPlace place);

} // namespace texelscope
