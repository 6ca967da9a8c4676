#pragma once

#include "sim/options/options.hpp"

#include <cstdint>

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

} // namespace texelscope::model
