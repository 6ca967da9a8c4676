#pragma once

#include "experiments/shared/experiment_device.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace texelscope::experiments {

// Romou, section 5.3 with figure 17: what images in place of buffers (`setImage`) bring for four
// 1x1 convolutions. Its other primitives are in kernel_forms.hpp.

struct BreakdownOptions {
    /// [H,W,Cin,Cout] of the caption, in the order of conv2d.
    std::vector<std::string> shapes{"1,64,64,512,256,1,1,1", "1,18,18,128,768,1,1,1",
                                    "1,56,56,128,128,1,1,1", "1,28,28,256,256,1,1,1"};
    /// Of a learned search over patterns, tile and work-group, in each memory.
    std::int64_t runs = 64;
    std::uint64_t seed = 1;
    std::int64_t most_accesses = 10'000; ///< of a simulation (sampled_time())
};

struct Breakdown {
    /// The fastest that the search found in one memory.
    struct Kernel {
        std::string config;
        double ns = 0;
        double gflops = 0;
    };
    struct Case {
        std::string shape;
        Kernel buffers;
        Kernel images;
        [[nodiscard]] double speedup() const { return buffers.ns / images.ns; }
    };
    bool textures_only = false; ///< whether the L1 is for textures only, by the profile
    std::vector<Case> cases;
    std::vector<std::string> left_out = {}; ///< of a real device: a reason for each shape
};

/// Throws missing() where the profile does not say how buffers are read, bad_input where a real
/// device runs none of the shapes in both memories.
[[nodiscard]] Breakdown measure_breakdown(const ExperimentDevice& device,
                                          const BreakdownOptions& options = {},
                                          const Progress& progress = {},
                                          const StopToken& stop = {});

/// What the paper says of figure 17, decided by the data.
[[nodiscard]] std::vector<Finding> romou_breakdown_findings(const Breakdown& data);

/// Its conditions say what was run, and on which devices.
DeviceExperiment run_romou_breakdown;

} // namespace texelscope::experiments
