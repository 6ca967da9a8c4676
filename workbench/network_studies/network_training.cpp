#include "workbench/network_studies/network_training.hpp"

#include "base/error.hpp"
#include "base/random.hpp"
#include "networks/operators/node_operator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace texelscope::workbench::network_studies {
// Training runs as jobs of several steps each. What is carried comes back after every job, so that
// a checkpoint can be written then.
namespace {

using networks::Shape;
using networks::TrainingStep;
using networks::ValueId;

/// Inputs that are not carried: the network's own, and the target.
bool is_data(const TrainingStep& step, ValueId input)
{
    return !step.first.contains(input);
}

/// Throws bad_input unless a batch of samples lies along the first dimension of inputs and output.
void check_batch(const TrainingStep& step)
{
    const Shape& output = step.graph.value(step.target).shape;
    for (const ValueId input : step.graph.inputs) {
        const networks::Value& value = step.graph.value(input);
        if (is_data(step, input) &&
            (value.shape.empty() || value.shape.front() != output.front())) {
            throw bad_input(fmt::format("its input {} is {}, its output {}: a batch of samples is "
                                        "expected along the first dimension of both",
                                        value.name, networks::to_string(value.shape),
                                        networks::to_string(output)),
                            step.graph.name, "export it with the batch first");
        }
    }
}

std::int64_t batch_size(const TrainingStep& step)
{
    return step.graph.value(step.target).shape.front();
}

/// Numbers that one sample of an input has.
std::int64_t elements_of(const TrainingStep& step, ValueId input)
{
    return networks::element_count(step.graph.value(input).shape) / batch_size(step);
}

/// What each of so many runs, from `first` on, is fed. After lcm(samples, batch) / batch runs the
/// batches repeat, so only one such round is made.
std::map<ValueId, std::vector<std::vector<float>>>
feeds_of(const TrainingStep& step, const TrainingData& data, std::int64_t first, std::int64_t runs)
{
    const std::int64_t batch = batch_size(step);
    const std::int64_t round = std::lcm(data.samples, batch) / batch;
    std::map<ValueId, std::vector<std::vector<float>>> feeds;
    for (const ValueId input : step.graph.inputs) {
        for (std::int64_t run = 0; is_data(step, input) && run < std::min(runs, round); ++run) {
            feeds[input].push_back(batch_of(step, data, input, first + run));
        }
    }
    return feeds;
}

/// The loss of each step: the mean over its runs.
std::vector<double> step_losses(const std::vector<std::vector<float>>& of_runs, int accumulate)
{
    std::vector<double> losses(of_runs.size() / static_cast<std::size_t>(accumulate), 0.0);
    for (std::size_t run = 0; run < of_runs.size(); ++run) {
        losses[run / static_cast<std::size_t>(accumulate)] +=
            static_cast<double>(of_runs[run].front()) / accumulate;
    }
    return losses;
}

} // namespace

TrainingData drawn_data(const TrainingStep& step, networks::Loss loss, std::int64_t samples,
                        std::uint64_t seed)
{
    check_batch(step);
    TrainingData data{samples, {}};
    std::mt19937_64 random(seed);
    for (const ValueId input : step.graph.inputs) {
        if (!is_data(step, input)) {
            continue;
        }
        std::vector<float>& numbers = data.numbers[input];
        const std::int64_t count = samples * elements_of(step, input);
        // One class for each row, as a cross entropy has targets.
        if (input == step.target && loss == networks::Loss::cross_entropy) {
            const std::int64_t classes = step.graph.value(input).shape.back();
            numbers.assign(static_cast<std::size_t>(count), 0.0F);
            for (std::int64_t row = 0; row < count / classes; ++row) {
                const auto chosen = static_cast<std::int64_t>(base::uniform_real(random) *
                                                              static_cast<double>(classes));
                numbers[static_cast<std::size_t>(row * classes + chosen)] = 1;
            }
            continue;
        }
        for (std::int64_t i = 0; i < count; ++i) {
            numbers.push_back(static_cast<float>(2 * base::uniform_real(random) - 1));
        }
    }
    return data;
}

std::vector<float> batch_of(const TrainingStep& step, const TrainingData& data, ValueId input,
                            std::int64_t run)
{
    const std::int64_t batch = batch_size(step);
    const std::int64_t elements = elements_of(step, input);
    const std::vector<float>& all = data.numbers.at(input);
    std::vector<float> numbers;
    for (std::int64_t i = 0; i < batch; ++i) {
        const auto first = all.begin() + (run * batch + i) % data.samples * elements;
        numbers.insert(numbers.end(), first, first + elements);
    }
    return numbers;
}

TrainedNetwork train_network(const TrainingStep& step, const networks::Plan& plan,
                             const TrainingRun& run, const devices::OpenClDevice& device,
                             const networks::NetworkRunOptions& options, bool check,
                             const Progress& progress, const StopToken& stop)
{
    TrainedNetwork trained{run.from, {}};
    TrainingState& state = trained.state;
    if (state.carried.empty()) {
        state.carried = step.first;
    }
    while (std::ssize(state.losses) < run.steps) {
        const std::int64_t done = std::ssize(state.losses);
        tell(progress, "training on " + device.info().name, static_cast<std::size_t>(done),
             static_cast<std::size_t>(run.steps));
        const std::int64_t steps = std::min(run.at_once, run.steps - done);
        networks::NetworkRunOptions how = options;
        how.samples = static_cast<int>(steps * run.accumulate);
        how.feeds = feeds_of(step, run.data, done * run.accumulate, how.samples);
        how.fetch = {step.loss};
        networks::TensorNumbers inputs = state.carried;
        for (const auto& [input, numbers] : how.feeds) {
            inputs[input] = numbers.front();
        }
        for (const auto& [input, numbers] : state.carried) {
            how.keep.push_back(input);
        }
        NetworkMeasurement measured =
            measure_network(step.graph, plan, inputs, device, std::move(how),
                            check && trained.measured.samples.empty(), stop);
        if (measured.checked.empty()) { // only the first job's tensors are checked
            measured.checked = std::move(trained.measured.checked);
            measured.allowed_error = trained.measured.allowed_error;
        }
        trained.measured = std::move(measured);
        for (auto& [input, numbers] : state.carried) {
            if (const auto found = trained.measured.found.find(input);
                found != trained.measured.found.end()) {
                numbers = found->second;
            }
        }
        const std::vector<double> losses =
            step_losses(trained.measured.fetched.at(step.loss), run.accumulate);
        state.losses.insert(state.losses.end(), losses.begin(), losses.end());
        const auto lost =
            std::ranges::find_if(state.losses, [](double loss) { return !std::isfinite(loss); });
        if (lost != state.losses.end()) {
            throw bad_input(
                fmt::format("the loss of step {} is no number", lost - state.losses.begin() + 1),
                step.graph.name,
                lost == state.losses.begin()
                    ? "is there a number in its data and weights that is none?"
                    : "train it with a smaller --learning-rate");
        }
        for (const auto& [weight, gradient] : step.gradients) {
            if (const auto found = trained.measured.found.find(gradient);
                found != trained.measured.found.end()) {
                std::vector<float>& numbers = state.gradients[weight] = found->second;
                for (float& number : numbers) { // those of the loss divided by the runs of a step
                    number *= static_cast<float>(run.accumulate);
                }
            }
        }
        if (run.reached) {
            run.reached(state);
        }
    }
    return trained;
}

} // namespace texelscope::workbench::network_studies
