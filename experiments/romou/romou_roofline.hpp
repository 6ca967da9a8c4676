#pragma once

#include "experiments/shared/experiment_device.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace texelscope::codegen {
struct LoopNest;
} // namespace texelscope::codegen

namespace texelscope::experiments {

// Romou, section 3.2 with figures 10 and 11: what a device's arithmetic and each level of its
// memory let a kernel reach over its operations for each number that it reads, and where 1x1
// convolutions of several coarsening sizes come to lie.

struct RooflineOptions {
    /// "28,28,256,256" of the paper's figure 18 in the order of conv2d; numbers are half floats, as
    /// 380 GFLOPS at 190 GB/s and 4 operations a number say.
    std::string shape = "1,28,28,256,256,1,1,1";
    std::vector<std::vector<std::int32_t>> coarsenings{{4, 1}, {4, 2}, {4, 4}, {4, 6},
                                                       {4, 8}, {8, 4}, {8, 8}};
    /// Of a learned search over patterns and work-group, for each coarsening.
    std::int64_t runs = 40;
    std::uint64_t seed = 1;
    std::int64_t most_accesses = 20'000; ///< of a simulation (sampled_time())
};

struct Roofline {
    struct Roof {
        std::string name;
        double gb_per_s = 0; ///< of all cores together
    };
    /// The fastest that the search of a coarsening found.
    struct Kernel {
        std::vector<std::int32_t> tile; ///< channels by places along the width
        std::string config;
        double intensity = 0; ///< operations for each number that a work-item reads
        int registers = 0;    ///< estimated, 32-bit
        int warps = 0;        ///< that a core can hold
        double gflops = 0;    ///< simulated or measured
    };
    double peak_gflops = 0; ///< of all multiply-adds in registers
    double bytes_per_number = 2;
    std::vector<Roof> roofs;     ///< the L1 first, memory last
    std::vector<Kernel> kernels; ///< in the order of the coarsenings
    /// Whether a real device ran the kernels. Then the roofs and the registers, which are the
    /// profile's, decide no finding by themselves.
    bool measured = false;
    std::vector<std::string> left_out = {}; ///< of a real device: a reason for each coarsening

    /// The least of the peak and of what a roof lets through at that intensity.
    [[nodiscard]] double bound(const Roof& roof, double intensity) const;
};

/// The roofs from the profile, for numbers of that size; no kernels.
[[nodiscard]] Roofline device_roofline(const DeviceProfile& device, double bytes_per_number);

/// Operations of a work-item for each number that it reads. The kernel reads something.
[[nodiscard]] double operations_per_number(const LoopNest& nest);

/// The roofs and the peak as lines over intensities in [low, high], for a plot with two logarithmic
/// axes.
[[nodiscard]] std::vector<PanelPlot::Curve> roof_curves(const Roofline& data, double low,
                                                        double high);

/// The roofs from the profile, the kernels by simulation or runs. Throws bad_input where a real
/// device runs none of them.
[[nodiscard]] Roofline measure_roofline(const ExperimentDevice& device,
                                        const RooflineOptions& options = {},
                                        const Progress& progress = {}, const StopToken& stop = {});

/// What the paper says of figure 11, decided by the data.
[[nodiscard]] std::vector<Finding> romou_roofline_findings(const Roofline& data);

/// Its conditions say what was run, and on which devices.
DeviceExperiment run_romou_roofline;

} // namespace texelscope::experiments
