#pragma once

#include "workbench/store/stored_result.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace texelscope::workbench::store {

// Files of experiments/measurements that experiments show beside what is simulated: a program needs
// no file beside it.

/// h200-local-blocks.jsonl: matrix products with and without blocks in local memory on an NVIDIA
/// H200, as `run --json` printed them.
[[nodiscard]] std::string_view h200_local_blocks();

/// training-steps.csv: steps of training small networks on devices, as `experiment percom-fig4
/// --out` wrote them.
[[nodiscard]] std::string_view training_steps();

/// What a compiler of Mesa's made of a random kernel.
struct CompiledRow {
    std::string gpu; ///< e.g. "adreno-740"
    std::string op, shape, padding, config;
    int registers = 0; ///< of a work-item, 32 bits each
};
/// mesa-registers.csv.zst: random kernels of all operators on six GPUs, GPU by GPU.
[[nodiscard]] std::vector<CompiledRow> compiled_kernels();

/// Kernels measured on a device, every one that ran, with its output right.
struct TuningMeasurements {
    /// Of the 45 operators and shapes on which, on the H200, some of the profiles' values were
    /// identified.
    std::vector<StoredResult> identified_on;
    /// Of 39 larger operators and shapes, none of which is among those.
    std::vector<StoredResult> others;
};
/// On an NVIDIA H200: experiments/measurements/h200-tuning.csv.zst and h200-tuning-large.csv.zst.
[[nodiscard]] TuningMeasurements h200_tuning();
/// On an NVIDIA H100: h100-tuning.csv.zst and h100-tuning-large.csv.zst there.
[[nodiscard]] TuningMeasurements h100_tuning();
/// On the device of a profile, by its name; nothing: there are none.
[[nodiscard]] std::optional<TuningMeasurements> tuning_of(const std::string& profile);

/// Kernels of all parts of a schedule on an NVIDIA H100, of eight operators and shapes of which no
/// value was identified, every one that ran, with its output right: h100-parts.csv.zst there.
[[nodiscard]] std::vector<StoredResult> h100_parts();

} // namespace texelscope::workbench::store
