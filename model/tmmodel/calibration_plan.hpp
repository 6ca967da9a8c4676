#pragma once

#include "model/tmmodel/calibration.hpp"
#include "model/tmmodel/growing_warps.hpp"
#include "model/walks/stride_walk.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace texelscope::model {

/// What to measure for a calibration, and how much of it.
struct CalibrationOptions {
    int walks = 300;
    std::int64_t steps = 768;    ///< of each walk
    Extent2D extent{1024, 1024}; ///< image of the walks, in texels
    Bytes bytes_per_texel{16};   ///< RGBA float
    StrideChoice strides;
    /// Every growing warp streams through 1.25 times the L2, so that nothing is left of it there
    /// (TMModel 3.2.1), but no more than this. The simulator starts from empty caches, so a stream
    /// that is cut short meets no older data either.
    Bytes most_streamed{1024 * 1024};
    std::optional<Regression> regression; ///< if not given, cross-validation chooses one
    std::uint64_t seed = 1;
};

// What is measured for a calibration, the same on a simulated device and on a real one: walks of
// one work-item for beta (TMModel 3.1, steps I to III), streams of one growing warp for D (3.2.1).
// A plan depends on nothing but its arguments.

/// The walks, as texels in order. Each walk draws its own distribution of strides. Throws bad_input
/// where options are invalid.
[[nodiscard]] std::vector<std::vector<Texel>> calibration_walks(const CalibrationOptions& options);

/// Number of texels that one lane reads, so that a stream is longer than an L2 of `l2` bytes
/// (CalibrationOptions::most_streamed limits it).
[[nodiscard]] std::int64_t streamed_texels(Bytes l2, const CalibrationOptions& options);

struct CalibrationStream {
    StreamPattern pattern;
    StreamShape shape;
};
/// The streams: each of the five patterns with 1, 2, .. `warp_size` lanes. A single lane reads
/// `max_steps` texels; several lanes read as many together. But each reads enough that its first
/// reads, which meet empty caches and idle memory, have little weight.
[[nodiscard]] std::vector<CalibrationStream>
calibration_streams(int warp_size, std::int64_t max_steps, Bytes bytes_per_texel);

/// Puts measurements into the form that the fit takes. `walk_ns` has the nanoseconds of one access
/// of each walk, `stream_ns` those of one step of each stream; `cache_lines` is C. Throws bad_input
/// where there are not as many times as walks and streams.
[[nodiscard]] CalibrationSamples calibration_samples(const std::vector<std::vector<Texel>>& walks,
                                                     std::span<const double> walk_ns,
                                                     const std::vector<CalibrationStream>& streams,
                                                     std::span<const double> stream_ns,
                                                     std::int64_t cache_lines);

} // namespace texelscope::model
