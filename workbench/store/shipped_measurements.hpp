#pragma once

#include "workbench/store/stored_result.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace texelscope::workbench::store {

// Measurements that are compiled into the program, from files of experiments/measurements:
// experiments show them beside what is simulated without needing a file.

/// h200-local-blocks.jsonl: matrix products with and without blocks in local memory on an NVIDIA
/// H200, as `run --json` printed them.
[[nodiscard]] std::string_view h200_local_blocks();

/// training-steps.csv: steps of training small networks on devices, as `experiment percom-fig4
/// --out` wrote them.
[[nodiscard]] std::string_view training_steps();

/// What one of Mesa's compilers made of a random kernel.
struct CompiledRow {
    std::string gpu; ///< e.g. "adreno-740"
    std::string op, shape, padding, config;
    int registers = 0; ///< of a work-item, 32 bits each
};
/// mesa-registers.csv.zst: random kernels of all operators on six GPUs, GPU by GPU.
[[nodiscard]] std::vector<CompiledRow> compiled_kernels();

/// Kernels measured on a device, every one that ran, with its output right.
struct TuningMeasurements {
    /// Kernels of 45 operators and shapes. Those measured on the H200 were used to identify some
    /// values of the profiles.
    std::vector<StoredResult> identified_on;
    /// Kernels of 39 larger operators and shapes, none of which is among the others.
    std::vector<StoredResult> others;
};
/// The kernels measured on an NVIDIA H200: experiments/measurements/h200-tuning.csv.zst and
/// h200-tuning-large.csv.zst.
[[nodiscard]] TuningMeasurements h200_tuning();
/// The kernels measured on an NVIDIA H100: h100-tuning.csv.zst and h100-tuning-large.csv.zst of the
/// same folder.
[[nodiscard]] TuningMeasurements h100_tuning();
/// What one of Kernel Tuner's strategies found on the kernels of h200_dense(), over seeds.
struct KernelTunerSearch {
    std::string strategy; ///< as it names it
    std::string op, shape;
    int seeds = 1;
    /// "over-best": time over the best after `at` runs, geometric mean over the seeds; "runs-to":
    /// runs to `at` times the best, median over the seeds; "runs": median of how many it made.
    std::string quantity;
    double at = 0;
    std::optional<double> value; ///< nothing: half of the seeds or more did not come there
};
/// kernel-tuner-searches.csv.
[[nodiscard]] std::vector<KernelTunerSearch> kernel_tuner_searches();

/// Kernels that were measured densely on an NVIDIA H200 (h200-dense.csv.zst): 329 to 703 of each of
/// 16 operators and shapes over all parts, those that could not run among them. No value of a
/// profile was identified on them.
[[nodiscard]] std::vector<StoredResult> h200_dense();
/// The kernels measured on the device of the profile of that name; nothing where there are none.
[[nodiscard]] std::optional<TuningMeasurements> tuning_of(const std::string& profile);

/// Kernels that vary in all parts of a schedule, measured on an NVIDIA H100 (h100-parts.csv.zst of
/// the same folder): every one that ran with a right output, of eight operators and shapes that no
/// value of a profile was identified on.
[[nodiscard]] std::vector<StoredResult> h100_parts();

} // namespace texelscope::workbench::store
