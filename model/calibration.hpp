#pragma once

#include "model/growing_warps.hpp"
#include "model/linear_model.hpp"
#include "model/thrash_decay.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace texelscope {

/// What calibration knows of a device, and the samples that it knows it from.
struct Calibration {
    LinearModel thread; ///< beta
    ThrashDecay thrash; ///< D
    std::vector<WalkSample> walks;
    std::vector<WarpSample> warps;
};

/// One growing warp as the fit of D sees it.
struct WarpSlowdown {
    WarpSample sample;
    ThrashSample thrash; ///< slowdown against one lane of the same pattern, exponent of equation 2 with w = lanes
};
/// Those of all samples with more than one lane (the slowdown of one lane is 1 by definition). `cache_lines`: C.
/// Throws bad_input where a pattern has no sample of one lane.
[[nodiscard]] std::vector<WarpSlowdown> warp_slowdowns(const std::vector<WarpSample>& warps, std::int64_t cache_lines);

/// Fits beta and D to samples of any origin, measured or simulated. `regression` empty: chosen by cross-validation.
/// Throws bad_input as fit_linear_model() and fit_thrash_decay() do.
[[nodiscard]] Calibration fit_calibration(std::vector<WalkSample> walks, std::vector<WarpSample> warps,
                                          std::int64_t cache_lines, std::optional<Regression> regression,
                                          std::uint64_t seed);

} // namespace texelscope
