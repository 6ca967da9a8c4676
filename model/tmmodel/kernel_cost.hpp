#pragma once

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

/// What the model needs to know of a device, beside its calibration.
struct ModelDevice {
    std::int64_t cache_lines = 0; ///< C, of the L1 texture cache
    int cores = 1;                ///< SPs
    int warp_size = 64;
    int occupancy = 1; ///< warps per core for the kernel in question (equation 4)
    /// Warps whose arithmetic a core does at once, in whole warps, 1 or more; 0: not known.
    int executing = 0;
};

/// The model's view of a simulated device. The occupancy is that of
/// KernelDemand::registers_per_item, which the kernel sets; it is capped at the core's warp limit.
/// Throws bad_input where the options are invalid.
[[nodiscard]] ModelDevice model_device(const SimulationOptions& options);

/// What the model needs to know of one configuration.
struct ModelKernel {
    struct Input {
        std::string image;
        std::string pattern;
        /// Of the reads of this image by `items` work-items, added up.
        CrossBlockHistogram histogram;
        /// The same from fresh_block_histogram(); needed by reuse_aware alone.
        CrossBlockHistogram fresh;
        /// L_t is the mean over them; 1: the histograms are one work-item's.
        std::int64_t items = 1;
        WarpInput warp;
        std::int64_t tile = 1; ///< sides of the tile along which its reads differ, multiplied
    };
    std::vector<Input> inputs;
    std::int64_t work_groups = 1; ///< WGs = prod_j ceil(O_j / (T_j G_j)) (equation 5)
    std::int64_t warps_per_group = 1;
    std::int64_t warp_items = 1; ///< |W| = min(w_x w_y, warp size)

    /// What the bottlenecks are found from; needed by that variant alone. `stream.inputs` are
    /// `inputs`.
    struct Rounds {
        ReadStream stream;
        WorkGrid grid;
        SimulationOptions options; ///< the device's, with the kernel's registers and arithmetic
        ModelOptions model;
    };
    std::optional<Rounds> rounds;
};

/// The prediction, level by level. Of the bottlenecks: `thread` is what the reads of an input take
/// in a wave, L_w their sum, L_g the waves, rounded up (the cost is that of whole and partial
/// waves, and of the launch).
struct KernelCost {
    std::vector<Nanoseconds> thread;   ///< L_t of each input (equation 1)
    std::int64_t exponent = 0;         ///< of D, over all inputs together
    Nanoseconds warp{0};               ///< L_w = sum_i L_t(H_i) * D^exponent (equation 3)
    std::int64_t occupancy_groups = 1; ///< L_g (equation 6)
    Nanoseconds kernel{0};             ///< L = L_w * L_g (equation 7)

    /// What is least at the level's choice: L_t of all inputs together, L_w, or L.
    [[nodiscard]] Nanoseconds at(ModelLevel level) const;
};

/// Throws bad_input where a count of the kernel or the device is not positive, or a histogram has
/// other block shapes than the calibration (none, where the histogram, the fit or the rounds that
/// the variant needs are missing).
[[nodiscard]] KernelCost predict(const ModelKernel& kernel, const ModelDevice& device,
                                 const Calibration& calibration, ModelVariant variant);
/// The paper's equations in a reading.
[[nodiscard]] KernelCost predict(const ModelKernel& kernel, const ModelDevice& device,
                                 const Calibration& calibration, const Reading& reading);

} // namespace texelscope::model
