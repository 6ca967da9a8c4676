#pragma once

#include "model/statistics/fit_error.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace texelscope::model {

/// One input as the warp level sees it: a warp has w distinct thread indices in it, and each keeps
/// s lines in use (reuse distance).
struct WarpInput {
    std::int64_t w = 1;
    int s = 0;
};

/// max(0, ceil((sum w_i * s_i - C) / C)), the exponent of equation 3 (of equation 2 for one input
/// with w = |W|); C = lines of the L1 cache. Throws bad_input unless C > 0 and no w or s is
/// negative.
[[nodiscard]] std::int64_t thrash_exponent(std::span<const WarpInput> inputs,
                                           std::int64_t cache_lines);

/// A measured slowdown: a warp's latency over that of one of its lanes alone, and the exponent that
/// equation 2 gives this warp.
struct ThrashSample {
    std::int64_t exponent = 0;
    double slowdown = 1; ///< L_w / L_t
};

/// Warp level (equation 2): L_w = L_t * D^exponent, D >= 1 a constant of the device.
struct ThrashDecay {
    double d = 1;
    FitError training; ///< error of the predicted slowdown
    FitError held_out; ///< error on samples that the fit never saw

    /// D^exponent.
    [[nodiscard]] double slowdown(std::int64_t exponent) const;
};

/// Least squares of log(L_w / L_t) = exponent * log D (section 4):
///   log D = sum(exponent * log slowdown) / sum(exponent^2),
/// and D is at least 1. A quarter of the samples, chosen by the seed, is held out. Where no sample
/// has a positive exponent (the cache holds every warp's lines), D is 1: the model then predicts no
/// thrashing. Throws bad_input for fewer than 4 samples, a slowdown that is not positive, or a
/// negative exponent.
[[nodiscard]] ThrashDecay fit_thrash_decay(const std::vector<ThrashSample>& samples,
                                           std::uint64_t seed);

} // namespace texelscope::model
