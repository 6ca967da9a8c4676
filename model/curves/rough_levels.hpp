#pragma once

#include "model/curves/cache_curve.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace texelscope::model {

/// Levels of caches that explain chases over a wide range of lines, roughly: how many there are,
/// and where.
struct RoughLevels {
    double hit_ns = 0;               ///< of the first level
    std::vector<double> miss_ns;     ///< beyond each level, ascending
    std::vector<std::int64_t> lines; ///< of each level, within a factor of about 1.2
};

/// The number of levels, none to three, is the one with the least Bayesian information criterion
/// (Schwarz 1978); of several, each takes at least a quarter longer than the one before, and has at
/// least four times its lines. Throws bad_input for fewer than 4 chases, or one without a positive
/// latency, a line or a pass.
[[nodiscard]] RoughLevels rough_levels(std::span<const ChasePoint> points);

} // namespace texelscope::model
