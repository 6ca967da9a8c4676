#include "model/tmmodel/model_device.hpp"

namespace texelscope::model {

ModelDevice model_device(const SimulationOptions& options)
{
    validate(options);
    return {.cache_lines = options.l1.lines(),
            .cores = options.cores,
            .warp_size = options.warp_size,
            .occupancy = occupancy(options).warps};
}

} // namespace texelscope::model
