#pragma once

#include "model/linear_model.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace texelscope {

/// One input as the warp level sees it: w distinct thread indices in a warp, reuse distance s.
struct WarpInput {
    std::int64_t w = 1;
    int s = 0;
};

/// max(0, ceil((sum w_i * s_i - C) / C)), the exponent of equation 3; C = lines of the L1 cache.
[[nodiscard]] std::int64_t thrash_exponent(std::span<const WarpInput> inputs, std::int64_t cache_lines);

/// Latency of a warp of `width` lanes over that of one lane, for a pattern.
struct ThrashSample {
    std::int64_t exponent = 0;
    double slowdown = 1; ///< L_w / L_t
};

/// Warp level (equation 2): L_w = L_t * D^exponent, D >= 1 a constant of the device.
struct ThrashDecay {
    double d = 1;
    FitError training;
    FitError held_out;
};

/// Least squares of log(L_w / L_t) = exponent * log D over the samples (paper, section 4); D is at least 1.
[[nodiscard]] ThrashDecay fit_thrash_decay(const std::vector<ThrashSample>& samples, std::uint64_t seed);

} // namespace texelscope
