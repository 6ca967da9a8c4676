#pragma once

#include "model/linear_model.hpp"
#include "model/thrash_decay.hpp"
#include "traces/launch.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace texelscope {

/// What calibration knows of a device.
struct Calibration {
    LinearModel thread;
    ThrashDecay thrash;
};

/// What the model needs to know of a device, beside its calibration.
struct ModelDevice {
    std::int64_t cache_lines = 0; ///< C
    int cores = 1;                ///< SPs
    int warp_size = 64;
    int occupancy = 1; ///< warps per core for the kernel in question
};

/// What the model needs to know of one configuration.
struct ModelKernel {
    struct Input {
        std::string image;
        std::string pattern;
        CrossBlockHistogram histogram; ///< of one work-item's reads of this image
        WarpInput warp;
    };
    std::vector<Input> inputs;
    std::int64_t work_groups = 1;    ///< WGs = prod_j ceil(O_j / (T_j G_j)) (equation 5)
    std::int64_t warps_per_group = 1;
};

enum class ModelVariant {
    literal, ///< L_g = ceil(WGs / (SPs * occupancy)) (equation 6)
    refined, ///< warps, since occupancy is in warps: L_g = ceil(WGs * warps_per_group / (SPs * occupancy))
};

/// The prediction, level by level.
struct KernelCost {
    std::vector<Nanoseconds> thread; ///< L_t of each input
    std::int64_t exponent = 0;
    Nanoseconds warp{0};             ///< L_w (equation 3)
    std::int64_t occupancy_groups = 1; ///< L_g (equation 6)
    Nanoseconds kernel{0};           ///< L = L_w * L_g (equation 7)
};

[[nodiscard]] KernelCost predict(const ModelKernel& kernel, const ModelDevice& device, const Calibration& calibration,
                                 ModelVariant variant);

} // namespace texelscope
