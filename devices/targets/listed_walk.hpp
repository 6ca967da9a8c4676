#pragma once

#include "devices/jobs/job.hpp"
#include "traces/image.hpp"

#include <cstdint>
#include <span>

namespace texelscope::devices {

/// Where in the image each launch of a listed walk goes.
enum class WalkPlace {
    same, ///< always the same texels, so that outer caches hold as much of the walk as they can
    /// Each launch walks elsewhere in the image, so that outer caches have not just seen its
    /// texels. If the image consists of whole squares of 32x32 texels, the walk is moved by such
    /// squares, so that its strides leave the same blocks (up to that size) as before.
    moved,
};

/// A job that walks through an image of zeros; texels may occur several times. It makes `reads`
/// reads, from the first texel of the walk on and again from there after the last. Warm-up and
/// samples are left to the caller. The places come from a list in constant memory, four at a time;
/// the next four are fetched while the reads before them are under way. To make each read wait for
/// the one before, its place is its entry of the list plus a number that the read before has
/// brought, which is zero. (A list in local memory would take room from the texture cache of an
/// NVIDIA GPU.)
/// Throws bad_input where the walk is empty or leaves the image, or for an image of more than 32768
/// texels along a side.
[[nodiscard]] Job listed_walk_job(Extent2D extent, std::span<const Texel> walk, std::int64_t reads,
                                  WalkPlace place);

/// The longest walk whose list fits on every device: OpenCL guarantees 64 KB of constant memory,
/// and lists of odd lengths repeat a part.
inline constexpr std::int64_t most_listed_texels = 16384;

} // namespace texelscope::devices
