#pragma once

#include "codegen/operator.hpp"
#include "devices/opencl_device.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace texelscope {

/// Logical input tensors with values uniform in [-1, 1), the same for the same seed everywhere.
[[nodiscard]] std::vector<std::vector<float>> random_inputs(const Operator& op, std::uint64_t seed);

/// Largest errors of an output against the reference. A relative error is taken against the largest magnitude that the
/// sum could have had (sum of |a||b| bounds rounding; here the norm of the reference), so that cancellation does not count.
struct OutputCheck {
    bool passed = false;
    double max_abs = 0;
    double max_rel = 0;
    double tolerance = 0; ///< allowed max_rel
};
[[nodiscard]] OutputCheck check_output(const std::vector<float>& output, const std::vector<float>& reference,
                                       double tolerance);

struct CheckedRun {
    Measurement measurement;
    OutputCheck check;         ///< where the measurement is ok
    std::vector<float> output; ///< the logical tensor
};

/// Generates, builds, runs and checks. `reference`: of those inputs (computed once for many runs).
[[nodiscard]] CheckedRun run_checked(const Operator& op, const LoopNest& nest, const OpenClDevice& device,
                                     const std::vector<std::vector<float>>& inputs, const std::vector<float>& reference,
                                     const RunOptions& options = {});

} // namespace texelscope
