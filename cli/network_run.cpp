#include "base/atomic_file.hpp"
#include "base/averages.hpp"
#include "base/error.hpp"
#include "base/npy.hpp"
#include "base/number_text.hpp"
#include "base/random.hpp"
#include "cli/network_arguments.hpp"
#include "cli/network_plan.hpp"
#include "cli/terminal.hpp"
#include "devices/kernels/opencl_device.hpp"
#include "model/statistics/kendall.hpp"
#include "networks/execution/network_job.hpp"
#include "networks/operators/node_operator.hpp"
#include "networks/passes/simplify.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <set>

namespace texelscope::cli {
namespace {

struct NetworkRunArguments {
    ModelSource model;
    PlanArguments plan;
    std::string on = "pocl";
    std::vector<std::string> inputs;
    std::vector<std::string> outputs;
    bool check = false;
    NetworkRunOptions run;
};

/// Files by value.
std::map<ValueId, std::string> files_of(const std::vector<std::string>& texts, const Graph& graph,
                                        const std::vector<ValueId>& known, const std::string& option)
{
    std::vector<std::string> names;
    for (const ValueId id : known) {
        names.push_back(graph.value(id).name);
    }
    const auto by_name = named_files(texts, names, option);
    std::map<ValueId, std::string> files;
    for (const ValueId id : known) {
        if (const auto found = by_name.find(graph.value(id).name); found != by_name.end()) {
            files[id] = found->second;
        }
    }
    return files;
}

/// From files, the others drawn in [-1, 1].
TensorNumbers inputs_of(const Graph& graph, const NetworkRunArguments& arguments, std::uint64_t seed)
{
    TensorNumbers numbers;
    std::mt19937_64 random(seed);
    for (const ValueId id : graph.inputs) {
        std::vector<float>& values = numbers[id];
        for (std::int64_t i = element_count(graph.value(id).shape); i > 0; --i) {
            values.push_back(static_cast<float>(2 * base::uniform_real(random) - 1));
        }
    }
    for (const auto& [id, path] : files_of(arguments.inputs, graph, graph.inputs, "--input")) {
        NpyArray array = read_npy(path);
        if (array.shape != graph.value(id).shape) {
            throw bad_input(fmt::format("the array is {}, {} is {}", to_string(array.shape), graph.value(id).name,
                                        to_string(graph.value(id).shape)),
                            path, "give an array of that shape");
        }
        numbers[id] = std::move(array.values);
    }
    return numbers;
}

/// Largest difference of a tensor, relative to its largest number.
struct TensorCheck {
    double error = 0;
    bool passed = false;
};

TensorCheck check(const std::vector<float>& found, const std::vector<double>& wanted)
{
    constexpr double allowed = 1e-4;
    double largest = 0;
    double error = found.size() == wanted.size() ? 0 : HUGE_VAL;
    for (std::size_t i = 0; i < std::min(found.size(), wanted.size()); ++i) {
        const double difference = std::abs(static_cast<double>(found[i]) - wanted[i]);
        error = std::isnan(difference) ? HUGE_VAL : std::max(error, difference);
        largest = std::max(largest, std::abs(wanted[i]));
    }
    const double relative = error == 0 ? 0 : error / std::max(largest, 1e-30);
    return {relative, relative <= allowed};
}

/// Of each value that a kernel makes of the network's own.
std::map<ValueId, TensorCheck> checks(const Plan& plan, std::size_t own, const TensorNumbers& inputs,
                                      const TensorNumbers& found)
{
    Graph graph = plan.graph;
    graph.values.resize(own);
    std::vector<Reals> given;
    for (const ValueId id : graph.inputs) {
        given.push_back({graph.value(id).shape, {inputs.at(id).begin(), inputs.at(id).end()}});
    }
    const std::vector<Reals> wanted = reference_values(graph, given, true);
    std::map<ValueId, TensorCheck> all;
    for (const PlannedKernel& each : plan.kernels) {
        const ValueId id = each.kernel.output;
        if (static_cast<std::size_t>(id) < own) {
            all[id] = check(found.at(id), wanted[static_cast<std::size_t>(id)].values);
        }
    }
    return all;
}

/// What a device made of a plan.
struct NetworkMeasurement {
    std::vector<double> kernel_ns;          ///< medians, of each kernel
    double whole_ns = 0;                    ///< median from the first's start to the last's end
    double wall_ns = 0;                     ///< median as the host sees it
    std::vector<double> samples;            ///< of the whole
    TensorNumbers found;                    ///< what was kept
    std::map<ValueId, TensorCheck> checked; ///< where that was asked for

    [[nodiscard]] double in_kernels() const { return std::accumulate(kernel_ns.begin(), kernel_ns.end(), 0.0); }
    [[nodiscard]] std::int64_t failed() const
    {
        return std::ranges::count_if(checked, [](const auto& each) { return !each.second.passed; });
    }
    [[nodiscard]] const TensorCheck* check_of(ValueId value) const
    {
        const auto found_check = checked.find(value);
        return found_check == checked.end() ? nullptr : &found_check->second;
    }
};

NetworkMeasurement measure(const NetworkRunArguments& arguments, const OpenClDevice& device, const Graph& graph,
                           const Plan& plan, const TensorNumbers& inputs, const GlobalOptions& global)
{
    for (const PlannedKernel& each : plan.kernels) {
        if (const auto reason = beyond_limits(device.info(), each.nest)) {
            throw bad_input("unsupported: " + *reason, each.kernel.op.name + " on " + device.info().name);
        }
    }
    NetworkRunOptions options = arguments.run;
    options.keep = graph.outputs;
    if (arguments.check) {
        std::set<ValueId> made;
        for (const PlannedKernel& each : plan.kernels) {
            if (static_cast<std::size_t>(each.kernel.output) < graph.values.size()) {
                made.insert(each.kernel.output);
            }
        }
        options.keep.assign(made.begin(), made.end());
    }
    const JobResult result =
        device.run(network_job(plan, inputs, device.best_backend(), device.info(), options), interrupted);
    if (result.status != JobResult::Status::ok) {
        if (!result.build_log.empty()) {
            print_note(global, result.build_log);
        }
        throw bad_input(to_string(result.status) + ": " + result.reason, device.info().name);
    }
    NetworkMeasurement measured;
    for (const std::vector<double>& times : result.step_ns) {
        measured.kernel_ns.push_back(median(times));
    }
    measured.whole_ns = median(result.kernel_ns);
    measured.wall_ns = median(result.enqueue_ns);
    measured.samples = result.kernel_ns;
    measured.found = kept_values(plan, options, result);
    if (arguments.check) {
        measured.checked = checks(plan, graph.values.size(), inputs, measured.found);
    }
    return measured;
}

std::string checked_text(const NetworkMeasurement& measured)
{
    return fmt::format("\n{} of {} tensors agree with the reference (1e-4 of their largest number)\n",
                       std::ssize(measured.checked) - measured.failed(), measured.checked.size());
}

ordered_json measured_json(const NetworkMeasurement& measured)
{
    return {{"measured_ns", measured.whole_ns},
            {"kernels_ns", measured.in_kernels()},
            {"wall_ns", measured.wall_ns},
            {"samples", measured.samples}};
}

void add_check(ordered_json& node, const TensorCheck* check)
{
    node["checked"] = check == nullptr ? ordered_json() : ordered_json(check->passed);
    node["error"] = check == nullptr ? ordered_json() : ordered_json(check->error);
}

int run_and_print(const NetworkRunArguments& arguments, const GlobalOptions& global)
{
    const Graph graph = simplified(arguments.model.graph(global.seed));
    const auto outputs = files_of(arguments.outputs, graph, graph.outputs, "--output");
    const TensorNumbers inputs = inputs_of(graph, arguments, global.seed);
    const OpenClDevice device(arguments.on);
    const PredictedPlan planned = arguments.plan.plan(graph, global);
    const Plan& plan = planned.plan;
    const NetworkMeasurement measured = measure(arguments, device, graph, plan, inputs, global);
    for (const auto& [id, path] : outputs) {
        write_file_atomically(path, npy_bytes({graph.value(id).shape, measured.found.at(id)}));
        print_note(global, "output " + graph.value(id).name + " written to " + path);
    }
    if (global.json) {
        ordered_json out = json_result("network");
        out["network"] = graph.name;
        out["device"] = device.info().name;
        out["batch"] = arguments.model.batch;
        out["nodes"] = ordered_json::array();
        for (std::size_t k = 0; k < plan.kernels.size(); ++k) {
            ordered_json node = kernel_json(plan, plan.kernels[k]);
            node["predicted_ns"] = planned.predicted[k].value;
            node["measured_ns"] = measured.kernel_ns[k];
            add_check(node, measured.check_of(plan.kernels[k].kernel.output));
            out["nodes"].push_back(std::move(node));
        }
        out["memory"] = memory_json(plan);
        out["total"] = measured_json(measured);
        out["total"]["predicted_ns"] = planned.total().value;
        print_json(out);
    } else {
        std::vector<Cells> rows;
        for (std::size_t k = 0; k < plan.kernels.size(); ++k) {
            const PlannedKernel& each = plan.kernels[k];
            const TensorCheck* const check = measured.check_of(each.kernel.output);
            rows.push_back({count_text(static_cast<std::int64_t>(k)), each.kernel.op.name,
                            to_string(plan.graph.value(each.kernel.output).shape), to_string(each.schedule),
                            human_time(measured.kernel_ns[k]),
                            fmt::format("{:.1f} %", 100 * measured.kernel_ns[k] / measured.in_kernels()),
                            check == nullptr ? "" : fmt::format("{:.1e}", check->error)});
        }
        print_text(
            fmt::format("{} on {}: {} kernels, median {} of {} samples ({} in kernels, {} seen by the host)\n{}\n",
                        graph.name, device.info().name, plan.kernels.size(), human_time(measured.whole_ns),
                        measured.samples.size(), human_time(measured.in_kernels()), human_time(measured.wall_ns),
                        memory_text(plan)) +
            format_table(
                {"kernel", "computes", "output", "configuration", "time", "share", arguments.check ? "error" : ""},
                rows) +
            (arguments.check ? checked_text(measured) : ""));
    }
    return measured.failed() == 0 ? exit_code::done : exit_code::check_failed;
}

struct NetworkCrosscheckArguments {
    NetworkRunArguments run;
    std::int64_t most_accesses = 20'000;
};

/// Agreement of two judges over the kernels that both have a time of; nothing where there are too few.
std::optional<double> agreement(const std::vector<std::optional<double>>& a,
                                const std::vector<std::optional<double>>& b)
{
    std::vector<double> left;
    std::vector<double> right;
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (a[i] && b[i]) {
            left.push_back(*a[i]);
            right.push_back(*b[i]);
        }
    }
    return kendall_tau_b(left, right);
}

/// Of all kernels; nothing where one has none.
std::optional<double> sum_of_times(const std::vector<std::optional<double>>& times)
{
    double sum = 0;
    for (const std::optional<double>& time : times) {
        if (!time) {
            return std::nullopt;
        }
        sum += *time;
    }
    return sum;
}

int crosscheck_and_print(const NetworkCrosscheckArguments& arguments, const GlobalOptions& global)
{
    const Graph graph = simplified(arguments.run.model.graph(global.seed));
    const TensorNumbers inputs = inputs_of(graph, arguments.run, global.seed);
    const PredictedPlan planned = arguments.run.plan.plan(graph, global);
    const Plan& plan = planned.plan;
    const std::size_t count = plan.kernels.size();
    std::vector<std::optional<double>> predicted;
    std::vector<std::optional<double>> simulated;
    std::vector<std::optional<double>> on_device(count);
    for (const Nanoseconds time : planned.predicted) {
        predicted.emplace_back(time.value);
    }
    for (const auto& time : simulated_times(plan, find_profile(arguments.run.plan.device), arguments.most_accesses,
                                            make_progress(global), interrupted)) {
        simulated.push_back(time ? std::optional(time->value) : std::nullopt);
    }
    end_progress(global);
    NetworkMeasurement measured;
    std::string device_name;
    if (arguments.run.on != "none") {
        const OpenClDevice device(arguments.run.on);
        device_name = device.info().name;
        measured = measure(arguments.run, device, graph, plan, inputs, global);
        on_device.assign(measured.kernel_ns.begin(), measured.kernel_ns.end());
    }
    const auto model_simulator = agreement(predicted, simulated);
    const auto model_device = agreement(predicted, on_device);
    const auto simulator_device = agreement(simulated, on_device);
    if (global.json) {
        ordered_json out = json_result("network");
        out["network"] = graph.name;
        out["device"] = arguments.run.plan.device;
        out["on"] = device_name;
        out["batch"] = arguments.run.model.batch;
        out["nodes"] = ordered_json::array();
        for (std::size_t k = 0; k < count; ++k) {
            ordered_json node = kernel_json(plan, plan.kernels[k]);
            node["predicted_ns"] = json_or_null(predicted[k]);
            node["simulated_ns"] = json_or_null(simulated[k]);
            node["measured_ns"] = json_or_null(on_device[k]);
            add_check(node, measured.check_of(plan.kernels[k].kernel.output));
            out["nodes"].push_back(std::move(node));
        }
        out["memory"] = memory_json(plan);
        out["kendall"] = {{"model_simulator", json_or_null(model_simulator)},
                          {"model_device", json_or_null(model_device)},
                          {"simulator_device", json_or_null(simulator_device)}};
        out["total"] = device_name.empty() ? ordered_json::object() : measured_json(measured);
        out["total"]["predicted_ns"] = json_or_null(sum_of_times(predicted));
        out["total"]["simulated_ns"] = json_or_null(sum_of_times(simulated));
        print_json(out);
    } else {
        const auto time = [](const std::optional<double>& ns) { return ns ? human_time(*ns) : std::string("-"); };
        std::vector<Cells> rows;
        for (std::size_t k = 0; k < count; ++k) {
            const PlannedKernel& each = plan.kernels[k];
            rows.push_back({count_text(static_cast<std::int64_t>(k)), each.kernel.op.name,
                            to_string(plan.graph.value(each.kernel.output).shape), to_string(each.schedule),
                            time(predicted[k]), time(simulated[k]), time(on_device[k])});
        }
        rows.push_back({"", "all", "", "", time(sum_of_times(predicted)), time(sum_of_times(simulated)),
                        time(sum_of_times(on_device))});
        std::string taus;
        const auto tau = [&](const char* words, const std::optional<double>& value) {
            if (value) {
                taus += fmt::format("{}{} {:.2f}", taus.empty() ? "" : ", ", words, *value);
            }
        };
        tau("model and simulator", model_simulator);
        tau("model and device", model_device);
        tau("simulator and device", simulator_device);
        print_text(fmt::format("{}: model and simulator of {}{}; {} kernels, each a launch of its own to model and "
                               "simulator\n{}\n",
                               graph.name, arguments.run.plan.device,
                               device_name.empty() ? "" : ", runs on " + device_name, count, memory_text(plan)) +
                   format_table({"kernel", "computes", "output", "configuration", "predicted", "simulated", "measured"},
                                rows) +
                   (taus.empty() ? "" : "\nKendall tau over the kernels: " + taus + "\n") +
                   (measured.checked.empty() ? "" : checked_text(measured)));
    }
    return measured.failed() == 0 ? exit_code::done : exit_code::check_failed;
}

/// What runs and cross-checks take alike.
void add_options(CLI::App& parser, NetworkRunArguments& arguments)
{
    arguments.model.add_to(parser);
    arguments.plan.add_to(parser);
    parser.add_option("--input", arguments.inputs, "NAME=F.npy; inputs that are not given are drawn")
        ->allow_extra_args(false);
    parser.add_flag("--check", arguments.check, "compare every tensor with the reference");
    parser.add_option("--samples", arguments.run.samples, "runs of the whole that are timed")
        ->check(CLI::Range(1, 1000000));
    parser.add_option("--warm-up", arguments.run.warm_up, "runs before those")->check(CLI::Range(0, 1000000));
    parser.add_option("--timeout", arguments.run.timeout_seconds, "seconds that one run may take")
        ->check(CLI::PositiveNumber);
}

} // namespace

void add_network_run(std::vector<Command>& subcommands, CLI::App& parser, const GlobalOptions& global)
{
    const auto [run, arguments] = add_subcommand<NetworkRunArguments>(
        subcommands, parser, "run", "plans a network and runs it on an OpenCL device", run_and_print, global);
    arguments->plan.device = "pocl-cpu";
    add_options(*run, *arguments);
    run->add_option("--on", arguments->on, "OpenCL device, as for run");
    run->add_option("--output", arguments->outputs, "NAME=F.npy to write")->allow_extra_args(false);

    const auto [crosscheck, crosschecked] = add_subcommand<NetworkCrosscheckArguments>(
        subcommands, parser, "crosscheck", "predicted, simulated and measured times of a network, kernel by kernel",
        crosscheck_and_print, global);
    crosschecked->run.on = "none";
    add_options(*crosscheck, crosschecked->run);
    crosscheck->add_option("--on", crosschecked->run.on, "OpenCL device, as for run; none: no run");
    crosscheck
        ->add_option("--accesses", crosschecked->most_accesses,
                     "warp accesses of a kernel that are simulated at most; 0: all")
        ->check(CLI::NonNegativeNumber);
}

} // namespace texelscope::cli
