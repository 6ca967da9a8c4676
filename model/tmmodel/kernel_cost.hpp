#pragma once

// The cost of a kernel by TMModel's equations, or by the bottleneck model: four variants, see
// model_variant.hpp.
//
// What goes in: a device (model_device() takes it from simulation options), its Calibration
// (fit_calibration()), and a kernel under one schedule, with histograms of its reads for the
// paper's equations and rounds for the bottleneck model. workbench/study/prediction.hpp makes these
// from an operator. What comes out: predict() gives a KernelCost, level by level; KernelCost::at()
// is what a choice of that level minimises. KernelIntervals tells how far a prediction may be off.
//
// The order in predict(): L_t of each input from its histogram (equation 1), L_w from their sum and
// the exponent of D (equation 3), L_g from work-groups and occupancy (equation 6), L = L_w L_g
// (equation 7). The variant bottleneck calls bottleneck_cost() instead.
//
// What always holds: a prediction depends on the arguments alone. Nothing is simulated or measured
// here; that happened when the device was calibrated.

#include "base/units.hpp"
#include "model/bottleneck/model_options.hpp"
#include "model/bottleneck/read_stream.hpp"
#include "model/bottleneck/wave.hpp"
#include "model/tmmodel/calibration.hpp"
#include "model/tmmodel/model_variant.hpp"
#include "model/tmmodel/thrash_decay.hpp"
#include "sim/observers/cross_block_histogram.hpp"
#include "sim/options/options.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace texelscope::model {

/// What the model needs to know of a device apart from its calibration.
struct ModelDevice {
    std::int64_t cache_lines = 0; ///< C, of the L1 texture cache
    int cores = 1;                ///< SPs
    int warp_size = 64;
    int occupancy = 1; ///< warps per core for the kernel in question (equation 4)
    /// Number of warps whose arithmetic a core carries out at the same time, 1 or more; 0: not
    /// known.
    int executing = 0;
};

/// The model's view of a simulated device. The occupancy is that of
/// KernelDemand::registers_per_item, which the kernel sets; it is capped at the core's warp limit.
/// Throws bad_input where the options are invalid.
[[nodiscard]] ModelDevice model_device(const SimulationOptions& options);

/// What the model needs to know of one kernel under one schedule.
struct ModelKernel {
    struct Input {
        std::string image;
        std::string pattern;
        /// Cross-block strides of the reads of this image, added up over `items` work-items.
        CrossBlockHistogram histogram;
        /// The same reads counted by fresh_block_histogram(). Only the variant reuse_aware needs
        /// it.
        CrossBlockHistogram fresh;
        /// Work-items that the histograms add up; L_t is the mean over them.
        std::int64_t items = 1;
        WarpInput warp;
        /// Product of the tile's sides along which the reads of this input differ.
        std::int64_t tile = 1;
    };
    std::vector<Input> inputs;
    std::int64_t work_groups = 1; ///< WGs = prod_j ceil(O_j / (T_j G_j)) (equation 5)
    std::int64_t warps_per_group = 1;
    std::int64_t warp_items = 1; ///< |W| = min(w_x w_y, warp size)

    /// The arguments of bottleneck_cost(). Only the variant bottleneck needs them. Those of
    /// `stream.inputs` that are images correspond to `inputs`, in order.
    struct Rounds {
        ReadStream stream;
        WorkGrid grid;
        /// Those of the device, with the kernel's registers and arithmetic.
        SimulationOptions options;
        ModelOptions model;
    };
    std::optional<Rounds> rounds;
};

/// The prediction, level by level; equations are the paper's. For the variant bottleneck the
/// members mean: `thread` the time of one wave for the reads of each image, `warp` the time of one
/// wave, `occupancy_groups` the number of waves, rounded up, and `kernel` the time of all whole and
/// partial waves with the overhead of the launch.
struct KernelCost {
    std::vector<Nanoseconds> thread;   ///< L_t of each input (equation 1)
    std::int64_t exponent = 0;         ///< the exponent of D, for all inputs together
    Nanoseconds warp{0};               ///< L_w = sum_i L_t(H_i) * D^exponent (equation 3)
    std::int64_t occupancy_groups = 1; ///< L_g (equation 6)
    Nanoseconds kernel{0};             ///< L = L_w * L_g (equation 7)

    /// The quantity that a choice at that level minimises: the sum of L_t over the inputs, L_w, or
    /// L.
    [[nodiscard]] Nanoseconds at(ModelLevel level) const;
};

/// Predicts the time of a kernel in one of the variants. Throws bad_input where a count of the
/// kernel or the device is not positive, where a histogram has other block shapes than the
/// calibration, or where the histogram, the fit or the rounds that the variant needs are missing.
[[nodiscard]] KernelCost predict(const ModelKernel& kernel, const ModelDevice& device,
                                 const Calibration& calibration, ModelVariant variant);
/// Predicts the time by the paper's equations, with its open symbols read as `reading` says.
[[nodiscard]] KernelCost predict(const ModelKernel& kernel, const ModelDevice& device,
                                 const Calibration& calibration, const Reading& reading);

} // namespace texelscope::model
