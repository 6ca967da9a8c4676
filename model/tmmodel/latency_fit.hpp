#pragma once

#include "base/layers.hpp"

#include <cstddef>
#include <span>

namespace texelscope::model {

/// ns per read = hit + miss * (misses per read): `miss` is what a miss costs on top of a hit.
struct LatencyLine {
    double hit = 0;
    double miss = 0;

    [[nodiscard]] double operator()(double miss_ratio) const { return hit + miss * miss_ratio; }
};

/// The line with the least sum of |predicted - ns| / ns over the samples that `chosen` lists, with
/// miss >= 0. That is what the mean absolute percentage error asks for, and a walk that the cache
/// does not explain cannot bend the line. Found by iteratively reweighted least squares, weights 1
/// / (ns * |residual|), from least squares on. Where all miss ratios are the same, miss is 0.
/// `rounds` of reweighting: few tell good from bad, 30 are exact to about 1e-4 of the error.
[[nodiscard]] LatencyLine fit_latency(std::span<const double> miss_ratios,
                                      std::span<const double> ns,
                                      std::span<const std::size_t> chosen, int rounds = 30);

/// Mean of |predicted - ns| / ns over the chosen samples.
[[nodiscard]] double mean_relative_error(const LatencyLine& line,
                                         std::span<const double> miss_ratios,
                                         std::span<const double> ns,
                                         std::span<const std::size_t> chosen);

} // namespace texelscope::model
