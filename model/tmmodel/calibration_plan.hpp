#pragma once

#include "model/tmmodel/calibration.hpp"
#include "model/tmmodel/growing_warps.hpp"
#include "model/walks/stride_walk.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace texelscope::model {

/// How much to measure.
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
    std::optional<Regression> regression; ///< empty: chosen by cross-validation
    std::uint64_t seed = 1;
};

// What is measured for a calibration, the same on a simulated device and on a real one: walks of
// one work-item for beta (TMModel 3.1, steps I to III), streams of one growing warp for D (3.2.1).
// A plan is a function of its arguments.

/// Each walk draws a distribution of strides of its own. Throws bad_input where options are
/// invalid.
[[nodiscard]] std::vector<std::vector<Texel>> calibration_walks(const CalibrationOptions& options);

/// Texels that one lane reads where the second-level cache is that large.
[[nodiscard]] std::int64_t streamed_texels(Bytes l2, const CalibrationOptions& options);

struct CalibrationStream {
    StreamPattern pattern;
    StreamShape shape;
};
/// Each of the five patterns with 1, 2, .. `warp_size` lanes. One lane reads `max_steps` texels;
/// more of them read as many together, but not so few each that the first reads, which find the
/// caches empty and the memory idle, weigh much.
[[nodiscard]] std::vector<CalibrationStream>
calibration_streams(int warp_size, std::int64_t max_steps, Bytes bytes_per_texel);

/// What was measured, as a fit takes it: nanoseconds of an access of each walk, of a step of each
/// stream. `cache_lines`: C. Throws bad_input where there are not as many times as walks and
/// streams.
[[nodiscard]] CalibrationSamples calibration_samples(const std::vector<std::vector<Texel>>& walks,
                                                     std::span<const double> walk_ns,
                                                     const std::vector<CalibrationStream>& streams,
                                                     std::span<const double> stream_ns,
                                                     std::int64_t cache_lines);

} // namespace texelscope::model
