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
    return std::move(run_checked(op, {{nest, inputs, reference}}, device, options).front());
}

std::vector<CheckedRun> run_checked(const Operator& op, const std::vector<KernelToCheck>& kernels,
                                    const OpenClDevice& device, const RunOptions& options)
{
    struct Launches {
        std::vector<LoopNest> nests;
        std::vector<std::vector<std::vector<float>>> texels;

        void add(const LoopNest& nest, const std::vector<std::vector<float>>& tensors)
        {
            auto& packed = texels.emplace_back();
            for (std::size_t i = 0; i < nest.inputs.size(); ++i) {
                packed.push_back(pack(nest.inputs[i], tensors[i]));
            }
            nests.push_back(nest);
        }
    };
    Launches all;
    for (const KernelToCheck& kernel : kernels) {
        all.add(kernel.nest, kernel.inputs);
    }
    std::vector<Measurement> measurements = device.run_all(all.nests, all.texels, options);
    std::vector<CheckedRun> runs(kernels.size());
    Launches exact;
    std::vector<std::size_t> exact_of; // numbers of kernels
    for (std::size_t i = 0; i < kernels.size(); ++i) {
        const auto& [nest, inputs, reference] = kernels[i];
        CheckedRun& run = runs[i];
        run.measurement = std::move(measurements[i]);
        if (run.measurement.status != RunStatus::ok) {
            continue;
        }
        run.output = unpack(nest.output, run.measurement.output);
        run.check = check_output(run.output, reference.magnitudes, reference.values,
                                 rounding_bound(op, nest, run.measurement.arithmetic));
        if (nest.half_sums && reference.exact) {
            exact.add(nest, reference.exact->inputs);
            exact_of.push_back(i);
        }
    }
    // The exact part needs no timing.
    RunOptions once = options;
    once.warm_up = 0;
    once.samples = 1;
    measurements = exact_of.empty() ? std::vector<Measurement>()
                                    : device.run_all(exact.nests, exact.texels, once);
    for (std::size_t k = 0; k < exact_of.size(); ++k) {
        const KernelToCheck& kernel = kernels[exact_of[k]];
        OutputCheck& check = runs[exact_of[k]].check;
        check.exact = measurements[k].status == RunStatus::ok &&
                      exact_output(unpack(kernel.nest.output, measurements[k].output),
                                   *kernel.reference.exact);
        check.passed = check.passed && *check.exact;
    }
    return runs;
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
