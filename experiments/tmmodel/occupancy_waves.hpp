#pragma once

#include "experiments/shared/experiment_device.hpp"
#include "sim/options/options.hpp"
#include "traces/launch.hpp"

#include <cstdint>
#include <vector>

namespace texelscope::experiments {

// TMModel, section 3.2.2 and figure 5: one work-group of 1 .. 16 warps whose threads all read the
// same data in row order, with the loop unrolled 1, 4, 8 or 16 times. Unrolling takes registers and
// so lowers the occupancy.

/// The kernel, and how much it reads. The paper gives the occupancies at both ends, 14 and 4, and
/// neither registers nor instructions: these are chosen so that the 49152 registers of an Adreno
/// 740's core give just that, and that the arithmetic hides behind the reads.
struct OccupancyWavesOptions {
    std::vector<int> unrolls{1, 4, 8, 16};
    int most_warps = 16;
    int base_registers = 46; ///< 32-bit, of a thread, beside those of the unrolled reads
    /// Of each unrolled read: a texel of four, and the function's value of it.
    int registers_per_read = 8;
    double function_operations = 16; ///< multiply-adds of the function (log, say) of one texel
    double loop_operations = 8;      ///< of one round of the loop, which unrolling saves
    Bytes bytes_per_texel{16};       ///< RGBA float
    Bytes most_data{1024 * 1024};    ///< else 1.25 times the L2
    std::int64_t least_texels = 1024;
};

struct OccupancyWaves {
    struct Point {
        int warps = 1;
        std::int64_t occupancy_groups = 0; ///< 0 where warps refill one by one
        double miss_rate = 0;              ///< of L1
        Nanoseconds time{0};
    };
    struct Series {
        int unroll = 1;
        int occupancy = 1;         ///< warps
        std::vector<Point> points; ///< by warps, from 1 on
    };
    std::int64_t texels = 0;    ///< that each thread reads
    std::vector<Series> series; ///< by unrolling, ascending
};

/// One core, timed mode, from empty caches. A work-group never exceeds `limits.work_group_size`.
[[nodiscard]] OccupancyWaves measure_occupancy_waves(const DeviceProfile& device,
                                                     const OccupancyWavesOptions& options = {},
                                                     const Progress& progress = {},
                                                     const StopToken& stop = {});

/// The launch behind one point: every thread reads texel 0, 1, .. of an image as wide as the device
/// takes.
[[nodiscard]] Launch occupancy_waves_launch(const DeviceProfile& device,
                                            const OccupancyWavesOptions& options, int warps);
/// The device as a kernel of that unrolling meets it. `registers.per_item`, where it is set, takes
/// the place of the base registers; `alu.cycles_per_step`, where it is set, stays.
[[nodiscard]] SimulationOptions
occupancy_waves_device(SimulationOptions device, const OccupancyWavesOptions& options, int unroll);

/// What the paper says of figure 5, decided by the data.
[[nodiscard]] std::vector<Finding> occupancy_waves_findings(const OccupancyWaves& data);

/// Its conditions say what was run, and on which devices.
DeviceExperiment run_occupancy_waves;

} // namespace texelscope::experiments
