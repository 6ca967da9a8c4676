#pragma once

#include "model/tmmodel/growing_warps.hpp"
#include "model/tmmodel/linear_model.hpp"
#include "model/tmmodel/thrash_decay.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace texelscope::model {

/// What calibration knows of a device, and the samples that it knows it from.
struct Calibration {
    LinearModel thread; ///< beta, over cross-block strides (the paper's)
    /// The same over strides into fresh blocks; without beta where there are no such walks.
    LinearModel reuse_thread;
    ThrashDecay thrash;           ///< D
    std::int64_t cache_lines = 0; ///< C; also the blocks that strides into fresh blocks remember
    std::vector<WalkSample> walks;
    /// The same walks, with the histograms of fresh_block_histogram().
    std::vector<WalkSample> fresh_walks;
    std::vector<WarpSample> warps;
    /// Of each of `walks`: held_out_times(); what intervals are made of.
    std::vector<Nanoseconds> held_out;
    std::vector<Nanoseconds> fresh_held_out; ///< the same of `fresh_walks`
};

/// One growing warp as the fit of D sees it.
struct WarpSlowdown {
    WarpSample sample;
    /// Slowdown against one lane of the same pattern, exponent of equation 2 with w = lanes.
    ThrashSample thrash;
};
/// Those of all samples with more than one lane (the slowdown of one lane is 1 by definition).
/// `cache_lines`: C. Throws bad_input where a pattern has no sample of one lane.
[[nodiscard]] std::vector<WarpSlowdown> warp_slowdowns(const std::vector<WarpSample>& warps,
                                                       std::int64_t cache_lines);

/// What a device was seen to do, measured or simulated.
struct CalibrationSamples {
    std::vector<WalkSample> walks;
    std::vector<WalkSample> fresh_walks; ///< may be empty
    std::vector<WarpSample> warps;
    std::int64_t cache_lines = 0;
};

/// Fits beta and D. `regression` empty: chosen by cross-validation. Without a warp of more than one
/// lane, D is 1. Throws bad_input as fit_linear_model() and fit_thrash_decay() do.
[[nodiscard]] Calibration fit_calibration(CalibrationSamples samples,
                                          std::optional<Regression> regression, std::uint64_t seed);

} // namespace texelscope::model
