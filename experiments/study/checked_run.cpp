#include "experiments/study/checked_run.hpp"

#include "base/half.hpp"
#include "base/random.hpp"

#include <algorithm>
#include <cmath>

namespace texelscope::experiments {

std::vector<std::vector<float>> random_inputs(const Operator& op, std::uint64_t seed)
{
    std::mt19937_64 random(seed);
    std::vector<std::vector<float>> values;
    for (const Tensor& tensor : op.inputs) {
        std::vector<float>& tensor_values = values.emplace_back(static_cast<std::size_t>(tensor.size()));
        std::generate(tensor_values.begin(), tensor_values.end(),
                      [&] { return static_cast<float>(2 * uniform_real(random) - 1); });
    }
    return values;
}

std::vector<std::vector<float>> as_stored(std::vector<std::vector<float>> values, Storage storage)
{
    if (storage == Storage::fp16) {
        for (std::vector<float>& tensor : values) {
            std::transform(tensor.begin(), tensor.end(), tensor.begin(), rounded_to_half);
        }
    }
    return values;
}

OutputCheck check_output(const std::vector<float>& output, const std::vector<float>& scale,
                         const std::vector<float>& reference, double tolerance, Storage storage, Memory memory)
{
    // Rounding to half precision: half a unit of 11 bits, or of the smallest subnormal number, 2^-24. A write to an image may
    // round towards zero (OpenCL C, "Conversion rules for half precision floating-point channel data type"): a whole unit.
    const double half_unit = storage == Storage::fp16 ? 0x1p-11 : 0;
    const double smallest = storage == Storage::fp16 ? 0x1p-14 : 0;
    tolerance += memory == Memory::image ? 2 * half_unit : half_unit;
    OutputCheck check;
    check.tolerance = tolerance;
    check.passed = output.size() == reference.size();
    for (std::size_t i = 0; i < std::min(output.size(), reference.size()); ++i) {
        const double error =
            output[i] == reference[i] ? 0 : std::abs(double{output[i]} - double{reference[i]}); // infinities, too
        const double relative = error == 0 ? 0 : error / (double{scale[i]} + smallest);
        if (!(relative <= tolerance)) { // also a NaN, which an element that was not written holds
            check.passed = false;
        }
        check.max_abs = std::isnan(error) ? error : std::max(check.max_abs, error);
        check.max_rel = std::isnan(relative) ? relative : std::max(check.max_rel, relative);
    }
    return check;
}

CheckedRun run_checked(const Operator& op, const LoopNest& nest, const OpenClDevice& device,
                       const std::vector<std::vector<float>>& inputs, const Reference& reference,
                       const RunOptions& options)
{
    std::vector<std::vector<float>> packed;
    for (std::size_t i = 0; i < nest.inputs.size(); ++i) {
        packed.push_back(pack(nest.inputs[i], inputs[i]));
    }
    CheckedRun run;
    run.measurement = device.run(nest, packed, options);
    if (run.measurement.status == Measurement::Status::ok) {
        run.output = unpack(nest.output, run.measurement.output);
        run.check = check_output(run.output, reference.magnitudes, reference.values, op.tolerance, nest.output.storage,
                                 nest.output.memory);
    }
    return run;
}

Reference make_reference(const Operator& op, const std::vector<std::vector<float>>& inputs)
{
    return {op.reference(inputs), op.magnitude(inputs)};
}

} // namespace texelscope::experiments
