#pragma once

#include "experiments/shared/experiment_device.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace texelscope::experiments {

// The study of training on phones (PerCom workshops 2022), section III-A and figure 3: square
// matrix products by a naive kernel, with vectors of four, with blocks in local memory (tiled), and
// with both.

struct TrainingMatmulOptions {
    std::vector<std::int64_t> sizes{32,  64,  96,  128, 160, 192, 224, 256,
                                    288, 320, 352, 384, 416, 448, 480, 512}; ///< as in the study
    /// Of a simulation (sampled_time()).
    std::int64_t most_accesses = 20'000;
};

/// Whether a schedule of the baseline `sgemm` has the study's optimisations.
struct SgemmKind {
    bool vectorised = false;
    bool tiled = false;

    bool operator==(const SgemmKind&) const = default;
};
/// "naive", "vectorised", "tiled", "both".
[[nodiscard]] std::string to_string(const SgemmKind& kind);

/// Rates of one kernel over the sizes n of n x n matrices, ascending.
struct SgemmRates {
    struct Point {
        std::int64_t size = 0;
        double gflops = 0;
        std::string config;
    };
    SgemmKind kind;
    std::vector<Point> points;

    /// The rate of the largest size; 0 where there is none.
    [[nodiscard]] double at_largest() const;
};

struct TrainingMatmul {
    std::string device;                ///< that is simulated
    std::vector<SgemmRates> simulated; ///< naive, vectorised, tiled, both
    /// The same on a device; a kernel that did not run has no point.
    std::vector<SgemmRates> measured;
    std::string measured_on = "NVIDIA H200";
};

/// By the timed simulator, or on a real device with outputs checked.
[[nodiscard]] std::vector<SgemmRates> sgemm_rates(const ExperimentDevice& device,
                                                  const TrainingMatmulOptions& options = {},
                                                  const Progress& progress = {},
                                                  const StopToken& stop = {});
/// The committed measurements, of an NVIDIA H200.
[[nodiscard]] std::vector<SgemmRates> measured_sgemm();

/// What the study says of figure 3, decided by the data.
[[nodiscard]] std::vector<Finding> training_matmul_findings(const TrainingMatmul& data);

/// Its conditions say what was run, and on which devices.
DeviceExperiment run_training_matmul;

} // namespace texelscope::experiments
