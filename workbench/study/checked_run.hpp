#pragma once

#include "codegen/operators/operator.hpp"
#include "codegen/operators/rounding_bound.hpp"
#include "devices/kernels/opencl_device.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace texelscope::workbench::study {

/// Logical input tensors with values drawn uniformly from [-1, 1); the same seed gives the same
/// values on every machine.
[[nodiscard]] std::vector<std::vector<float>> random_inputs(const Operator& op, std::uint64_t seed);

/// The values as the device reads them: rounded to half precision where `storage` is fp16.
/// References are to be computed from these.
[[nodiscard]] std::vector<std::vector<float>> as_stored(std::vector<std::vector<float>> values,
                                                        Storage storage);

/// Logical input tensors of the numbers -1, 0 and 1. Sums of their products are exact in every
/// arithmetic as long as no more than 2,048 products are not zero: half precision holds all
/// integers up to there.
[[nodiscard]] std::vector<std::vector<float>> whole_inputs(const Operator& op, std::uint64_t seed);

/// What an output is compared with.
struct Reference {
    std::vector<float> values;
    /// By element, the size to which rounding errors are proportional (Operator::magnitude).
    std::vector<float> magnitudes;
    /// A second reference, of whole numbers. The bound on rounding errors of kernels that compute
    /// in half precision is so wide that it may hide a wrong kernel; on whole numbers their results
    /// must be exact.
    struct Exact {
        std::vector<std::vector<float>> inputs; ///< whole_inputs()
        std::vector<float> values;
        std::vector<float> magnitudes;
    };
    std::optional<Exact> exact = {};
};
/// `storage`: how the kernels that are compared store their tensors; for fp16 the reference has the
/// exact part.
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
    double tolerance = 0; ///< allowed max_rel
    /// Whether the run on whole numbers was exact; nothing: there was none.
    std::optional<bool> exact = {};
};
[[nodiscard]] OutputCheck check_output(const std::vector<float>& output,
                                       const std::vector<float>& magnitudes,
                                       const std::vector<float>& reference,
                                       const RoundingBound& allowed);

/// Whether every element is exactly right, apart from those whose magnitude is above 2,048, where
/// half precision need not be exact.
[[nodiscard]] bool exact_output(const std::vector<float>& output, const Reference::Exact& exact);

struct CheckedRun {
    Measurement measurement;
    OutputCheck check;         ///< filled in where the measurement is ok
    std::vector<float> output; ///< the logical tensor

    /// The status of the run, with a wrong output as a status of its own.
    [[nodiscard]] RunStatus status() const
    {
        const bool wrong = measurement.status == RunStatus::ok && !check.passed;
        return wrong ? RunStatus::wrong_output : measurement.status;
    }
};

/// Generates, builds and runs a kernel, and checks its output. A kernel that may sum in half
/// precision runs once more, on the whole numbers of `reference`. `inputs`: those of as_stored().
/// `reference`: of the same inputs; one serves many runs.
[[nodiscard]] CheckedRun run_checked(const Operator& op, const LoopNest& nest,
                                     const OpenClDevice& device,
                                     const std::vector<std::vector<float>>& inputs,
                                     const Reference& reference, const RunOptions& options = {});

/// A kernel and what it is checked with; the references must outlive the run.
struct KernelToCheck {
    const LoopNest& nest;
    const std::vector<std::vector<float>>& inputs;
    const Reference& reference;
};
/// The same for several kernels of the operator, which go to the device together. A result for
/// each, in order.
[[nodiscard]] std::vector<CheckedRun> run_checked(const Operator& op,
                                                  const std::vector<KernelToCheck>& kernels,
                                                  const OpenClDevice& device,
                                                  const RunOptions& options = {});

} // namespace texelscope::workbench::study
