#include "workbench/network_studies/network_measurement.hpp"

#include "base/averages.hpp"
#include "base/error.hpp"
#include "base/half.hpp"
#include "base/random.hpp"
#include "networks/operators/node_operator.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <utility>

namespace texelscope::workbench::network_studies {
namespace {

using devices::JobResult;
using networks::Graph;
using networks::Plan;
using networks::PlannedKernel;
using networks::TensorNumbers;
using networks::ValueId;

/// `least`: the largest number counts as at least so large.
TensorCheck check_tensor(const std::vector<float>& found, const std::vector<double>& wanted,
                         double allowed, double least)
{
    double largest = least;
    double error = found.size() == wanted.size() ? 0 : HUGE_VAL;
    for (std::size_t i = 0; i < std::min(found.size(), wanted.size()); ++i) {
        // What is to be infinite, or no number (a mask of -inf, the logarithm of -1), is right as
        // such. Else NaN says that the element was never written, or that numbers ran away; either
        // is a failure.
        const bool same = found[i] == wanted[i] || (std::isnan(found[i]) && std::isnan(wanted[i]));
        const double difference = same ? 0 : std::abs(static_cast<double>(found[i]) - wanted[i]);
        error = std::isnan(difference) ? HUGE_VAL : std::max(error, difference);
        largest = std::isfinite(wanted[i]) ? std::max(largest, std::abs(wanted[i])) : largest;
    }
    const double relative = error == 0 ? 0 : error / std::max(largest, 1e-30);
    return {relative, relative <= allowed};
}

/// The values of the network itself that its kernels make in every run. Values behind them belong
/// to conversions.
std::set<ValueId> made_values(const Graph& graph, const Plan& plan)
{
    std::set<ValueId> made;
    for (const PlannedKernel& each : plan.kernels) {
        if (static_cast<std::size_t>(each.kernel.output) < graph.values.size() && each.every == 1) {
            made.insert(each.kernel.output);
        }
    }
    return made;
}

/// Numbers as the device has stored them.
networks::Reals as_stored(const networks::Shape& shape, const std::vector<float>& numbers,
                          Storage storage)
{
    networks::Reals stored{shape, {numbers.begin(), numbers.end()}};
    if (storage == Storage::fp16) {
        std::ranges::transform(numbers, stored.values.begin(), rounded_to_half);
    }
    return stored;
}

/// For each sum along axes, a hundredth of the sum of the absolute values that it adds up, per
/// output. Where these cancel each other, nothing else tells how large rounding errors may be: the
/// gradient of a bias before a normalisation, for instance, is exactly zero.
std::map<ValueId, double> sums_of_sizes(const Graph& graph, const TensorNumbers& inputs,
                                        const TensorNumbers& found)
{
    constexpr double hundredth = 0.01;
    std::map<ValueId, double> least;
    for (const networks::Node& node : graph.nodes) {
        const ValueId input = node.inputs.empty() ? networks::no_value : node.inputs.front();
        const TensorNumbers& of = inputs.contains(input) ? inputs : found;
        if (node.op == "ReduceSum" && of.contains(input)) {
            double sum = 0;
            for (const float number : of.at(input)) {
                sum += std::abs(static_cast<double>(number));
            }
            const auto outputs =
                static_cast<double>(networks::element_count(graph.value(node.outputs[0]).shape));
            least[node.outputs[0]] = hundredth * sum / outputs;
        } else if (node.op == "Reshape" && least.contains(input)) {
            least[node.outputs[0]] = least[input];
        } else if (node.op == "AddScaled") { // a kernel may make this alone of the two
            const auto term = [&](std::size_t i) {
                return least.contains(node.inputs[i]) ? least[node.inputs[i]] : 0;
            };
            const double both =
                std::max(term(0), std::abs(node.attributes.real("scale", 1)) * term(1));
            if (both > 0) {
                least[node.outputs[0]] = both;
            }
        }
    }
    return least;
}

/// Whether a function of the network jumps, so that a rounding error before it may be as large as
/// its step.
bool jumps(const Graph& graph)
{
    return std::ranges::any_of(graph.nodes,
                               [](const networks::Node& node) { return networks::jumps(node); });
}

/// Compares each tensor with the reference. In single precision that is the reference of the whole
/// network, unless a function of it jumps. In half precision errors grow from kernel to kernel, and
/// in a backward pass a number that rounding moves across the kink of a ReLU changes a whole
/// gradient; there each tensor is compared with what follows from the tensors that the device has
/// stored before it.
std::map<ValueId, TensorCheck> checks(Graph graph, const std::set<ValueId>& made,
                                      const TensorNumbers& inputs, const TensorNumbers& found,
                                      Storage storage)
{
    std::vector<networks::Reals> given;
    for (const ValueId id : graph.inputs) {
        given.push_back(as_stored(graph.value(id).shape, inputs.at(id), storage));
    }
    for (auto& [id, numbers] : graph.constants) {
        const networks::Reals stored = as_stored({}, numbers, storage);
        numbers.assign(stored.values.begin(), stored.values.end());
    }
    const std::map<ValueId, double> least = sums_of_sizes(graph, inputs, found);
    const bool stored_before = jumps(graph);
    std::map<ValueId, TensorCheck> all;
    const auto check = [&](ValueId id, networks::Reals& value) {
        if (made.contains(id)) {
            const auto sizes = least.find(id);
            all[id] = check_tensor(found.at(id), value.values, allowed_tensor_error(storage),
                                   sizes == least.end() ? 0 : sizes->second);
            if (storage == Storage::fp16 || stored_before || !graph.carried.empty()) {
                value.values.assign(found.at(id).begin(), found.at(id).end());
            }
        }
    };
    (void)reference_values(graph, given, false, check);
    return all;
}

/// Outputs that no kernel makes: inputs of the network that stay as they are, and constants.
void add_given(const Graph& graph, const TensorNumbers& inputs, TensorNumbers& found)
{
    for (const ValueId output : graph.outputs) {
        const auto constant = graph.constants.find(output);
        const auto input = inputs.find(output);
        if (constant != graph.constants.end()) {
            found[output] = constant->second;
        } else if (input != inputs.end() &&
                   std::ranges::count(graph.carried, output, &networks::Carried::input) == 0) {
            found[output] = input->second;
        }
    }
}

struct Run {
    devices::Job job;
    JobResult result;
};

} // namespace

/// 2e-3 in half precision, whose numbers have 11 bits: 2^-11 is 5e-4 for one rounding.
double allowed_tensor_error(Storage storage)
{
    constexpr double half = 2e-3;
    return storage == Storage::fp16 ? half : networks::kernel_tolerance;
}

double NetworkMeasurement::in_kernels() const
{
    return std::inner_product(kernel_ns.begin(), kernel_ns.end(), share.begin(), 0.0);
}

std::int64_t NetworkMeasurement::failed() const
{
    return std::ranges::count_if(checked, [](const auto& each) { return !each.second.passed; });
}

const TensorCheck* NetworkMeasurement::check_of(ValueId value) const
{
    const auto found_check = checked.find(value);
    return found_check == checked.end() ? nullptr : &found_check->second;
}

TensorNumbers drawn_inputs(const Graph& graph, std::uint64_t seed)
{
    TensorNumbers numbers;
    std::mt19937_64 random(seed);
    for (const ValueId id : graph.inputs) {
        std::vector<float>& values = numbers[id];
        for (std::int64_t i = networks::element_count(graph.value(id).shape); i > 0; --i) {
            // Of identifiers, those that every table has.
            values.push_back(graph.value(id).is_integer
                                 ? static_cast<float>(base::uniform_below(random, 2))
                                 : static_cast<float>(2 * base::uniform_real(random) - 1));
        }
    }
    return numbers;
}

NetworkMeasurement measure_network(const Graph& graph, const Plan& plan,
                                   const TensorNumbers& inputs, const devices::OpenClDevice& device,
                                   networks::NetworkRunOptions options, bool check,
                                   const StopToken& stop)
{
    for (const PlannedKernel& each : plan.kernels) {
        if (const auto reason = beyond_limits(device.info(), each.nest)) {
            throw bad_input("unsupported: " + *reason,
                            each.kernel.op.name + " on " + device.info().name);
        }
    }
    const auto run = [&](const networks::NetworkRunOptions& how) {
        Run done{network_job(plan, inputs, device.best_backend(), device.info(), how), {}};
        done.result = device.run(done.job, stop);
        if (done.result.status != RunStatus::ok) {
            throw missing(
                run_word(done.result.status) + ": " + done.result.reason, device.info().name,
                done.result.build_log.empty() ? remedy(done.result.status)
                                              : "the compiler says: " + done.result.build_log);
        }
        return done;
    };
    NetworkMeasurement measured;
    measured.device = device.info().name;
    add_given(graph, inputs, measured.found);
    if (plan.kernels.empty()) { // outputs are inputs or constants, and nothing runs
        return measured;
    }
    const std::set<ValueId> made = made_values(graph, plan);
    const bool going_on = !graph.carried.empty();
    networks::TensorNumbers all;
    // Values that are read back do not share memory, so they come from a run of their own.
    if (check && (plan.arena || going_on)) {
        networks::NetworkRunOptions once = options;
        once.warm_up = 0;
        once.samples = 1;
        once.keep.assign(made.begin(), made.end());
        once.fetch.clear();
        all = kept_values(plan, once, run(once).result);
    }
    if (check && !plan.arena && !going_on) {
        options.keep.assign(made.begin(), made.end());
    } else {
        options.keep.insert(options.keep.end(), graph.outputs.begin(), graph.outputs.end());
    }
    // A kernel that runs only in some runs needs so many runs to be timed at all.
    for (const PlannedKernel& each : plan.kernels) {
        options.samples = std::max(options.samples, each.every);
    }
    const auto [job, result] = run(options);
    for (const PlannedKernel& each : plan.kernels) {
        measured.share.push_back(each.share());
    }
    double clearing = 0;
    for (std::size_t step = 0; step < job.steps.size(); ++step) {
        std::vector<double> times = result.step_ns[step];
        std::erase(times, 0.0); // zeros stand for runs in which it was not launched
        const double time = times.empty() ? 0 : median(times);
        if (networks::is_clearing(job.steps[step])) {
            clearing = time;
        } else {
            measured.kernel_ns.push_back(std::exchange(clearing, 0) + time);
        }
    }
    measured.whole_ns = median(result.kernel_ns);
    measured.wall_ns = median(result.enqueue_ns);
    measured.samples = result.kernel_ns;
    measured.found.merge(kept_values(plan, options, result));
    measured.fetched = fetched_values(plan, options, result);
    if (check) {
        const bool half = std::ranges::any_of(plan.kernels, [](const PlannedKernel& each) {
            return each.schedule.storage == Storage::fp16;
        });
        const Storage storage = half ? Storage::fp16 : Storage::fp32;
        measured.allowed_error = allowed_tensor_error(storage);
        networks::TensorNumbers found = going_on ? networks::TensorNumbers() : measured.found;
        found.merge(all);
        measured.checked = checks(graph, made, inputs, found, storage);
    }
    return measured;
}

} // namespace texelscope::workbench::network_studies
