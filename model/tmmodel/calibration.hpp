#pragma once

#include "model/tmmodel/growing_warps.hpp"
#include "model/tmmodel/linear_model.hpp"
#include "model/tmmodel/thrash_decay.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace texelscope::model {

/// The constants of the model that are fitted to one device, together with the samples that they
/// were fitted to.
struct Calibration {
    LinearModel thread; ///< beta: weights of cross-block strides, as in the paper
    /// The same for strides into fresh blocks (fresh_block_histogram()); `beta` is empty where
    /// there are no such walks.
    LinearModel reuse_thread;
    ThrashDecay thrash; ///< D
    /// C: lines of the L1; also how many blocks fresh_block_histogram() remembers.
    std::int64_t cache_lines = 0;
    std::vector<WalkSample> walks;
    /// The same walks, with the histograms of fresh_block_histogram().
    std::vector<WalkSample> fresh_walks;
    std::vector<WarpSample> warps;
    /// For each of `walks`, the time that a fit predicts which has not seen it (held_out_times()).
    /// KernelIntervals is made from it.
    std::vector<Nanoseconds> held_out;
    std::vector<Nanoseconds> fresh_held_out; ///< the same of `fresh_walks`
};

/// One sample of a growing warp, in the form that the fit of D takes.
struct WarpSlowdown {
    WarpSample sample;
    /// Its slowdown over one lane of the same pattern, and the exponent of equation 2 with w =
    /// lanes.
    ThrashSample thrash;
};
/// One entry for each sample of more than one lane; the slowdown of one lane is 1 by definition.
/// `cache_lines` is C. Throws bad_input where a pattern has no sample of one lane.
[[nodiscard]] std::vector<WarpSlowdown> warp_slowdowns(const std::vector<WarpSample>& warps,
                                                       std::int64_t cache_lines);

/// The measurements that a calibration is fitted to, from a real or a simulated device.
struct CalibrationSamples {
    std::vector<WalkSample> walks;
    std::vector<WalkSample> fresh_walks; ///< may be empty
    std::vector<WarpSample> warps;
    std::int64_t cache_lines = 0;
};

/// Fits beta and D. If no regression is given, cross-validation chooses one. D is 1 if no sample
/// has more than one lane. Throws bad_input as fit_linear_model() and fit_thrash_decay() do.
[[nodiscard]] Calibration fit_calibration(CalibrationSamples samples,
                                          std::optional<Regression> regression, std::uint64_t seed);

} // namespace texelscope::model
