#pragma once

#include "experiments/shared/experiment_device.hpp"
#include "model/tmmodel/linear_model.hpp"
#include "model/walks/stride_walk.hpp"
#include "sim/observers/cross_block_histogram.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace texelscope::experiments {

// TMModel, section 3.1 with figure 2: cross-block strides of a random walk, and the latency that a
// regression predicts from them.

/// The paper's example, steps I to III: strides of 1, 2, 3, 4 with probabilities 0.2, 0.3, 0.4,
/// 0.1, along x and along y independently; blocks of 2x2 and 4x4.
struct StrideExample {
    std::vector<int> strides{1, 2, 3, 4};
    std::vector<double> probabilities{0.2, 0.3, 0.4, 0.1};
    std::vector<Extent2D> blocks{{2, 2}, {4, 4}};
    std::int64_t steps = 10'000;
    Extent2D image{1024, 1024};
};

/// Step I: the strides along both axes, every pair of them.
[[nodiscard]] StrideDistribution stride_pairs(const StrideExample& example);

/// The share of strides that leave a block of that side, in the long run: a stride s leaves it from
/// min(s, side) of its `side` places, and a walk is as often at one as at another, so sum of p
/// min(s / side, 1).
[[nodiscard]] double crossing_share(const StrideExample& example, std::int32_t side);

/// A model fitted to walks and what it predicts of those that it has not seen, in nanoseconds of an
/// access.
struct StrideFit {
    std::vector<Extent2D> blocks;
    FitError held_out;
    struct Walk {
        double measured = 0;
        double predicted = 0;
    };
    std::vector<Walk> walks; ///< held out
};

/// Step IV with those blocks of the samples' histograms alone. Throws bad_input where a block is
/// not among them.
[[nodiscard]] StrideFit fit_strides(const std::vector<WalkSample>& samples,
                                    std::span<const Extent2D> blocks, std::uint64_t seed);

struct StrideRegression {
    CrossBlockHistogram example;
    StrideFit two;  ///< with the example's blocks
    StrideFit full; ///< with all assumed blocks
    double tau = 0; ///< Kendall's, of the strides that leave a 4x4 block of a walk with its latency
};
/// The walks that a calibration is fitted to, simulated or, on a real device, measured as the probe
/// tmmodel-walks does. Throws missing for a CPU, Interrupted.
[[nodiscard]] std::vector<WalkSample> timed_walks(const ExperimentDevice& device,
                                                  std::uint64_t seed, const StopToken& stop = {});
[[nodiscard]] StrideRegression measure_stride_regression(const std::vector<WalkSample>& walks,
                                                         const StrideExample& example,
                                                         std::uint64_t seed);

/// What the paper says of figure 2, decided by the data.
[[nodiscard]] std::vector<Finding> stride_regression_findings(const StrideRegression& data,
                                                              const StrideExample& example);

/// Its conditions say what was run, and on which devices.
DeviceExperiment run_stride_regression;

} // namespace texelscope::experiments
