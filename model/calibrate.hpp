#pragma once

#include "model/calibration.hpp"
#include "model/stride_walk.hpp"
#include "sim/simulate.hpp"

#include <cstdint>
#include <functional>
#include <optional>

namespace texelscope {

/// How much to measure.
struct CalibrationOptions {
    int walks = 300;
    std::int64_t steps = 768;    ///< of each walk
    Extent2D extent{1024, 1024}; ///< image of the walks, in texels
    Bytes bytes_per_texel{16};   ///< RGBA float
    StrideChoice strides;
    /// Every growing warp streams through 1.25 times the L2, so that nothing is left of it there (TMModel 3.2.1), but
    /// no more than this. The simulator starts from empty caches, so a stream that is cut short meets no older data
    /// either.
    Bytes most_streamed{1024 * 1024};
    std::optional<Regression> regression; ///< empty: chosen by cross-validation
    std::uint64_t seed = 1;
};

/// Called after each measurement with the number done and the number in all.
using CalibrationProgress = std::function<void(std::int64_t done, std::int64_t total)>;

/// Calibrates the model on a simulated device, the way that a real one is:
/// - beta: each walk draws its own distribution of strides; one work-item makes dependent reads along it, in timed
///   mode from empty caches; its time over its steps is the latency of an access (TMModel 3.1, steps I to IV);
/// - D: one warp of 1, 2, .. warp size lanes streams in each of the five patterns (3.2.1).
/// Only the memory side of the device takes part: one core, and no ALU work between two reads. The same options and
/// seed give the same calibration. Throws bad_input where options are invalid, Interrupted where `stop` says so.
[[nodiscard]] Calibration calibrate_simulated(const SimulationOptions& device, const CalibrationOptions& options = {},
                                              const CalibrationProgress& progress = {}, const StopToken& stop = {});

} // namespace texelscope
