#pragma once

#include "experiments/shared/experiment_device.hpp"
#include "model/tmmodel/growing_warps.hpp"

#include <cstdint>
#include <vector>

namespace texelscope::sim {
struct SimulationOptions;
} // namespace texelscope::sim

namespace texelscope::experiments {

// TMModel, section 3.2.1 and figure 4: one warp of 1 .. warp size threads, each of which streams
// through texels of its own, in four access patterns. The paper gives neither the size of the image
// nor the reads of a thread, only that the data exceed the last-level cache.

/// How much to read.
struct WarpScalingOptions {
    Bytes bytes_per_texel{16};        ///< RGBA float
    Bytes most_data{1024 * 1024};     ///< of one thread; else 1.25 times the L2
    std::int64_t least_texels = 1024; ///< of one thread
};

struct WarpScaling {
    struct Point {
        int threads = 1;
        double texels_per_ns = 0;
        double normalised = 0; ///< over one thread of `column`
        /// Of perfect scaling: over `threads` times one thread of the same pattern.
        double share = 0;
    };
    struct Series {
        StreamPattern pattern;
        std::vector<Point> points; ///< by threads: 1 first, the warp size last
    };
    std::int64_t texels_per_thread = 0;
    std::int64_t cache_lines = 0; ///< of L1
    std::vector<Series> series;   ///< column, row, block2, block4
};

/// One core, no arithmetic, one read of a thread at a time, timed mode, from empty caches.
[[nodiscard]] WarpScaling measure_warp_scaling(const SimulationOptions& device,
                                               const WarpScalingOptions& options = {},
                                               const Progress& progress = {},
                                               const StopToken& stop = {});

/// The same on a real device, as the probe tmmodel-warps measures it: the time of a step is that of
/// many less that of one, and images end where the device's do. Warp and caches are the profile's.
[[nodiscard]] WarpScaling measure_warp_scaling(Target& target, const SimulationOptions& device,
                                               const StopToken& stop = {});

/// The simulation behind one point: the launch, and the device as the kernel meets it.
[[nodiscard]] StreamShape warp_scaling_shape(const SimulationOptions& device,
                                             const WarpScalingOptions& options, int threads);
[[nodiscard]] SimulationOptions warp_scaling_device(SimulationOptions device);

/// What the paper says of figure 4, decided by the data: series as measure_warp_scaling() has them.
[[nodiscard]] std::vector<Finding> warp_scaling_findings(const WarpScaling& data);

/// Its conditions say what was run, and on which devices.
DeviceExperiment run_warp_scaling;

} // namespace texelscope::experiments
