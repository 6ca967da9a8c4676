#pragma once

#include "codegen/operators/operator.hpp"
#include "devices/kernels/opencl_device.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace texelscope::experiments {

/// Logical input tensors with values uniform in [-1, 1), the same for the same seed everywhere.
[[nodiscard]] std::vector<std::vector<float>> random_inputs(const Operator& op, std::uint64_t seed);

/// The values as the device sees them: rounded where they are stored in half precision. What a reference must be made of.
[[nodiscard]] std::vector<std::vector<float>> as_stored(std::vector<std::vector<float>> values, Storage storage);

/// What an output is compared with.
struct Reference {
    std::vector<float> values;
    std::vector<float> magnitudes; ///< what rounding errors are proportional to (Operator::magnitude)
};
[[nodiscard]] Reference make_reference(const Operator& op, const std::vector<std::vector<float>>& inputs);

/// Largest errors of an output against the reference. The relative error of an element is taken against its magnitude
/// (sum of |a||b| for a sum of products), so that cancellation does not count as an error. Half-precision storage of the
/// output adds its own rounding to the tolerance, which depends on the memory.
struct OutputCheck {
    bool passed = false;
    double max_abs = 0;
    double max_rel = 0;
    double tolerance = 0; ///< allowed max_rel
};
[[nodiscard]] OutputCheck check_output(const std::vector<float>& output, const std::vector<float>& magnitudes,
                                       const std::vector<float>& reference, double tolerance,
                                       Storage storage = Storage::fp32, Memory memory = Memory::image);

struct CheckedRun {
    Measurement measurement;
    OutputCheck check;         ///< where the measurement is ok
    std::vector<float> output; ///< the logical tensor
};

/// Generates, builds, runs and checks. `inputs`: as_stored(); `reference`: of those inputs (computed once
/// for many runs).
[[nodiscard]] CheckedRun run_checked(const Operator& op, const LoopNest& nest, const OpenClDevice& device,
                                     const std::vector<std::vector<float>>& inputs, const Reference& reference,
                                     const RunOptions& options = {});

} // namespace texelscope::experiments
