#pragma once

#include "experiments/shared/experiment_result.hpp"
#include "experiments/tmmodel/warp_scaling.hpp"
#include "model/tmmodel/thrash_decay.hpp"

#include <vector>

namespace texelscope::experiments {

// TMModel's warp level (section 4, equation 2) on the warps of figure 4. What goes in: the
// throughput of growing warps. What comes out: their slowdown L_w / L_t over the exponent of
// equation 2, D as the paper fits it, and D of a step in its place.

/// A warp of more than one thread.
struct WarpLevelPoint {
    StreamPattern pattern;
    int threads = 2;
    model::ThrashSample sample; ///< exponent of equation 2, slowdown over one thread
};

struct WarpLevel {
    std::vector<WarpLevelPoint> points;
    model::ThrashDecay power; ///< L_w = L_t D^exponent, as printed; of 21 splits the median by R2
    /// L_w = L_t D wherever the exponent is positive: what misses already cannot become slower.
    model::ThrashDecay step;
};

/// The series of `data` have one thread first. With fewer than four warps of more than one thread
/// there is nothing to fit, and both forms have a D of 1.
[[nodiscard]] WarpLevel warp_level_of(const WarpScaling& data);

/// Whether equation 2 tells the slowdowns. Not tested where no warp exceeds the cache twice.
[[nodiscard]] Finding warp_level_finding(const WarpLevel& level);
/// The slowdown of each warp, and what both forms say of it.
[[nodiscard]] ExperimentResult::FurtherTable warp_level_table(const WarpLevel& level);

} // namespace texelscope::experiments
