#include "workbench/study/checked_run.hpp"

#include "base/half.hpp"
#include "base/random.hpp"
#include "codegen/nest/loop_nest.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace texelscope::workbench::study {

namespace {

/// Input tensors of the numbers that `value` makes of numbers drawn uniformly from [0, 1).
template <class Value>
std::vector<std::vector<float>> drawn_inputs(const Operator& op, std::uint64_t seed, Value value)
{
    std::mt19937_64 random(seed);
    std::vector<std::vector<float>> values;
    for (const Tensor& tensor : op.inputs) {
        std::vector<float>& tensor_values =
            values.emplace_back(static_cast<std::size_t>(tensor.size()));
        std::generate(tensor_values.begin(), tensor_values.end(),
                      [&] { return static_cast<float>(value(uniform_real(random))); });
    }
    return values;
}

} // namespace

std::vector<std::vector<float>> random_inputs(const Operator& op, std::uint64_t seed)
{
    return drawn_inputs(op, seed, [](double uniform) { return 2 * uniform - 1; });
}

std::vector<std::vector<float>> whole_inputs(const Operator& op, std::uint64_t seed)
{
    return drawn_inputs(op, seed, [](double uniform) { return std::floor(3 * uniform) - 1; });
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
                         const std::vector<float>& reference, const RoundingBound& allowed)
{
    OutputCheck check;
    check.tolerance = allowed.relative;
    check.passed = output.size() == reference.size();
    for (std::size_t i = 0; i < std::min(output.size(), reference.size()); ++i) {
        // equal infinities have no error, though their difference is a NaN
        const double error =
            output[i] == reference[i] ? 0 : std::abs(double{output[i]} - double{reference[i]});
        const double relative = error == 0 ? 0 : error / (double{scale[i]} + allowed.smallest);
        // written so that a NaN fails: an element that was not written holds one
        if (!(relative <= allowed.relative)) {
            check.passed = false;
        }
        check.max_abs = std::isnan(error) ? error : std::max(check.max_abs, error);
        check.max_rel = std::isnan(relative) ? relative : std::max(check.max_rel, relative);
    }
    return check;
}

bool exact_output(const std::vector<float>& output, const Reference::Exact& exact)
{
    constexpr float most = 2048; // half precision holds all integers up to here
    bool all = output.size() == exact.values.size();
    for (std::size_t i = 0; i < std::min(output.size(), exact.values.size()); ++i) {
        all = all && (exact.magnitudes[i] > most || output[i] == exact.values[i]);
    }
    return all;
}

CheckedRun run_checked(const Operator& op, const LoopNest& nest, const OpenClDevice& device,
                       const std::vector<std::vector<float>>& inputs, const Reference& reference,
                       const RunOptions& options)
{
    const auto packed = [&](const std::vector<std::vector<float>>& tensors) {
        std::vector<std::vector<float>> texels;
        for (std::size_t i = 0; i < nest.inputs.size(); ++i) {
            texels.push_back(pack(nest.inputs[i], tensors[i]));
        }
        return texels;
    };
    CheckedRun run;
    run.measurement = device.run(nest, packed(inputs), options);
    if (run.measurement.status == RunStatus::ok) {
        run.output = unpack(nest.output, run.measurement.output);
        run.check = check_output(run.output, reference.magnitudes, reference.values,
                                 rounding_bound(op, nest, run.measurement.arithmetic));
        if (nest.half_sums && reference.exact) {
            // The exact part needs no timing.
            RunOptions once = options;
            once.warm_up = 0;
            once.samples = 1;
            const Measurement exact = device.run(nest, packed(reference.exact->inputs), once);
            run.check.exact = exact.status == RunStatus::ok &&
                              exact_output(unpack(nest.output, exact.output), *reference.exact);
            run.check.passed = run.check.passed && *run.check.exact;
        }
    }
    return run;
}

Reference make_reference(const Operator& op, const std::vector<std::vector<float>>& inputs,
                         Storage storage)
{
    Reference reference{op.reference(inputs), op.magnitude(inputs)};
    if (storage == Storage::fp16) {
        std::vector<std::vector<float>> whole = whole_inputs(op, 1);
        std::vector<float> values = op.reference(whole);
        std::vector<float> magnitudes = op.magnitude(whole);
        reference.exact = {std::move(whole), std::move(values), std::move(magnitudes)};
    }
    return reference;
}

} // namespace texelscope::workbench::study
