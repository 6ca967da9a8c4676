#pragma once

#include "codegen/operators/operator.hpp"
#include "codegen/operators/rounding_bound.hpp"
#include "devices/kernels/opencl_device.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace texelscope::workbench::study {

/// Logical input tensors with values uniform in [-1, 1), the same for the same seed everywhere.
[[nodiscard]] std::vector<std::vector<float>> random_inputs(const Operator& op, std::uint64_t seed);

/// The values as the device sees them: rounded where they are stored in half precision. What a
/// reference must be made of.
[[nodiscard]] std::vector<std::vector<float>> as_stored(std::vector<std::vector<float>> values,
                                                        Storage storage);

/// Logical input tensors of the numbers -1, 0 and 1: sums of their products are exact in every
/// arithmetic, half precision included, while there are no more than 2,048 that are not zero.
[[nodiscard]] std::vector<std::vector<float>> whole_inputs(const Operator& op, std::uint64_t seed);

/// What an output is compared with.
struct Reference {
    std::vector<float> values;
    /// What rounding errors are proportional to (Operator::magnitude).
    std::vector<float> magnitudes;
    /// Other inputs, and what they come to: for kernels that compute in half precision, whose bound
    /// on rounding errors is wide.
    struct Exact {
        std::vector<std::vector<float>> inputs; ///< whole_inputs()
        std::vector<float> values;
        std::vector<float> magnitudes;
    };
    std::optional<Exact> exact = {};
};
/// `storage`: of the kernels that are compared with it.
[[nodiscard]] Reference make_reference(const Operator& op,
                                       const std::vector<std::vector<float>>& inputs,
                                       Storage storage = Storage::fp32);

/// Largest errors of an output against the reference. The relative error of an element is taken
/// against its magnitude (sum of |a||b| for a sum of products), so that cancellation does not count
/// as an error.
struct OutputCheck {
    bool passed = false;
    double max_abs = 0;
    double max_rel = 0;
    double tolerance = 0;           ///< allowed max_rel
    std::optional<bool> exact = {}; ///< whether sums of whole numbers are; nothing: not looked at
};
[[nodiscard]] OutputCheck check_output(const std::vector<float>& output,
                                       const std::vector<float>& magnitudes,
                                       const std::vector<float>& reference,
                                       const RoundingBound& allowed);

/// Whether every element whose products of whole numbers add up to at most 2,048 in size is what it
/// has to be.
[[nodiscard]] bool exact_output(const std::vector<float>& output, const Reference::Exact& exact);

struct CheckedRun {
    Measurement measurement;
    OutputCheck check;         ///< where the measurement is ok
    std::vector<float> output; ///< the logical tensor

    /// What became of it, the check included.
    [[nodiscard]] RunStatus status() const
    {
        const bool wrong = measurement.status == RunStatus::ok && !check.passed;
        return wrong ? RunStatus::wrong_output : measurement.status;
    }
};

/// Generates, builds, runs and checks; a kernel that may compute in half precision runs once more
/// on the reference's whole numbers. `inputs`: as_stored(); `reference`: of those inputs (computed
/// once for many runs).
[[nodiscard]] CheckedRun run_checked(const Operator& op, const LoopNest& nest,
                                     const OpenClDevice& device,
                                     const std::vector<std::vector<float>>& inputs,
                                     const Reference& reference, const RunOptions& options = {});

} // namespace texelscope::workbench::study
