#pragma once

#include "base/units.hpp"
#include "model/bottleneck/bottleneck.hpp"
#include "model/tmmodel/calibration.hpp"
#include "model/tmmodel/thrash_decay.hpp"
#include "sim/observers/cross_block_histogram.hpp"
#include "sim/options/options.hpp"

#include <array>
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
};

/// The model's view of a simulated device. The occupancy is that of options.registers_per_item, which the kernel sets;
/// it is capped at the core's warp limit. Throws bad_input where the options are invalid.
[[nodiscard]] ModelDevice model_device(const SimulationOptions& options);

/// What the model needs to know of one configuration.
struct ModelKernel {
    struct Input {
        std::string image;
        std::string pattern;
        CrossBlockHistogram histogram; ///< of the reads of this image by `items` work-items, added up
        CrossBlockHistogram fresh;     ///< the same from fresh_block_histogram(); needed by reuse_aware alone
        std::int64_t items = 1;        ///< L_t is the mean over them; 1: the histograms are one work-item's
        WarpInput warp;
    };
    std::vector<Input> inputs;
    std::int64_t work_groups = 1; ///< WGs = prod_j ceil(O_j / (T_j G_j)) (equation 5)
    std::int64_t warps_per_group = 1;

    /// What the bottlenecks are found from; needed by that variant alone. `stream.inputs` are `inputs`.
    struct Rounds {
        ReadStream stream;
        WorkGrid grid;
        SimulationOptions options; ///< the device's, with the kernel's registers and arithmetic
    };
    std::optional<Rounds> rounds;
};

enum class ModelVariant {
    literal,     ///< as printed: L_g = ceil(WGs / (SPs * occupancy))
    refined,     ///< warps, since occupancy is in warps: L_g = ceil(WGs * warps_per_group / (SPs * occupancy))
    reuse_aware, ///< refined, and L_t from strides into fresh blocks: what is still cached costs nothing to return to
    bottleneck, ///< bottleneck_cost(): from the profile's layout, caches, latencies and bandwidths, without calibration
};
inline constexpr std::array all_model_variants{ModelVariant::literal, ModelVariant::refined, ModelVariant::reuse_aware,
                                               ModelVariant::bottleneck};
[[nodiscard]] std::string to_string(ModelVariant variant);
/// Throws bad_input for an unknown name.
[[nodiscard]] ModelVariant parse_model_variant(const std::string& text);

/// The prediction, level by level. Of the bottlenecks: `thread` is what the reads of an input take in a wave, L_w their sum,
/// L_g the waves, rounded up (the cost is that of whole and partial waves, and of the launch).
struct KernelCost {
    std::vector<Nanoseconds> thread;   ///< L_t of each input (equation 1)
    std::int64_t exponent = 0;         ///< of D, over all inputs together
    Nanoseconds warp{0};               ///< L_w = sum_i L_t(H_i) * D^exponent (equation 3)
    std::int64_t occupancy_groups = 1; ///< L_g (equation 6)
    Nanoseconds kernel{0};             ///< L = L_w * L_g (equation 7)
};

/// Throws bad_input where a count of the kernel or the device is not positive, or a histogram has other block shapes
/// than the calibration (none, where the histogram, the fit or the rounds that the variant needs are missing).
[[nodiscard]] KernelCost predict(const ModelKernel& kernel, const ModelDevice& device, const Calibration& calibration,
                                 ModelVariant variant);

} // namespace texelscope::model
