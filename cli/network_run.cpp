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
#include "networks/execution/network_job.hpp"
#include "networks/operators/node_operator.hpp"
#include "networks/passes/simplify.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

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

/// NAME=FILE pairs by value; each name is one of `known`.
std::map<ValueId, std::string> named_files(const std::vector<std::string>& texts, const Graph& graph,
                                           const std::vector<ValueId>& known, const std::string& option)
{
    std::map<ValueId, std::string> files;
    for (const std::string& text : texts) {
        const std::size_t equals = text.find('=');
        const auto found =
            std::ranges::find_if(known, [&](ValueId id) { return graph.value(id).name == text.substr(0, equals); });
        if (equals == std::string::npos || found == known.end()) {
            std::vector<std::string> names;
            for (const ValueId id : known) {
                names.push_back(graph.value(id).name);
            }
            throw bad_input("'" + text + "' does not name a tensor of the network", option,
                            fmt::format("write NAME=F.npy; names are {}", fmt::join(names, ", ")));
        }
        files[*found] = text.substr(equals + 1);
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
    for (const auto& [id, path] : named_files(arguments.inputs, graph, graph.inputs, "--input")) {
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

int run_and_print(const NetworkRunArguments& arguments, const GlobalOptions& global)
{
    const Graph graph = simplified(arguments.model.graph(global.seed));
    const auto outputs = named_files(arguments.outputs, graph, graph.outputs, "--output");
    const TensorNumbers inputs = inputs_of(graph, arguments, global.seed);
    const OpenClDevice device(arguments.on);
    const PredictedPlan planned = arguments.plan.plan(graph, global);
    const Plan& plan = planned.plan;
    for (const PlannedKernel& each : plan.kernels) {
        if (const auto reason = beyond_limits(device.info(), each.nest)) {
            throw bad_input("unsupported: " + *reason, each.kernel.op.name + " on " + device.info().name);
        }
    }
    NetworkRunOptions options = arguments.run;
    options.keep = graph.outputs;
    if (arguments.check) {
        options.keep.clear();
        for (const PlannedKernel& each : plan.kernels) {
            if (static_cast<std::size_t>(each.kernel.output) < graph.values.size()) {
                options.keep.push_back(each.kernel.output);
            }
        }
        std::ranges::sort(options.keep);
        options.keep.erase(std::unique(options.keep.begin(), options.keep.end()), options.keep.end());
    }
    const JobResult result = device.run(network_job(plan, inputs, device.best_backend(), device.info(), options));
    if (result.status != JobResult::Status::ok) {
        if (!result.build_log.empty()) {
            print_note(global, result.build_log);
        }
        throw bad_input(to_string(result.status) + ": " + result.reason, device.info().name);
    }
    const TensorNumbers found = kept_values(plan, options, result);
    for (const auto& [id, path] : outputs) {
        write_file_atomically(path, npy_bytes({graph.value(id).shape, found.at(id)}));
        print_note(global, "output " + graph.value(id).name + " written to " + path);
    }
    const auto checked =
        arguments.check ? checks(plan, graph.values.size(), inputs, found) : std::map<ValueId, TensorCheck>();
    const auto failed = std::ranges::count_if(checked, [](const auto& each) { return !each.second.passed; });
    double sum = 0;
    std::vector<double> medians;
    for (const std::vector<double>& times : result.step_ns) {
        medians.push_back(median(times));
        sum += medians.back();
    }
    const double whole = median(result.kernel_ns);
    const double wall = median(result.enqueue_ns);
    if (global.json) {
        ordered_json out = json_result("network");
        out["network"] = graph.name;
        out["device"] = device.info().name;
        out["batch"] = arguments.model.batch;
        out["nodes"] = ordered_json::array();
        for (std::size_t k = 0; k < plan.kernels.size(); ++k) {
            ordered_json node = kernel_json(plan, plan.kernels[k]);
            node["predicted_ns"] = planned.predicted[k].value;
            node["measured_ns"] = medians[k];
            const auto one = checked.find(plan.kernels[k].kernel.output);
            node["checked"] = one == checked.end() ? ordered_json() : ordered_json(one->second.passed);
            node["error"] = one == checked.end() ? ordered_json() : ordered_json(one->second.error);
            out["nodes"].push_back(std::move(node));
        }
        out["total"] = {{"predicted_ns", planned.total().value},
                        {"measured_ns", whole},
                        {"kernels_ns", sum},
                        {"wall_ns", wall},
                        {"samples", result.kernel_ns}};
        print_json(out);
    } else {
        std::vector<Cells> rows;
        for (std::size_t k = 0; k < plan.kernels.size(); ++k) {
            const PlannedKernel& each = plan.kernels[k];
            const auto one = checked.find(each.kernel.output);
            rows.push_back({count_text(static_cast<std::int64_t>(k)), each.kernel.op.name,
                            to_string(plan.graph.value(each.kernel.output).shape), to_string(each.schedule),
                            human_time(medians[k]), fmt::format("{:.1f} %", 100 * medians[k] / sum),
                            one == checked.end() ? "" : fmt::format("{:.1e}", one->second.error)});
        }
        print_text(fmt::format("{} on {}: {} kernels, median {} of {} samples ({} in kernels, {} seen by the host)\n\n",
                               graph.name, device.info().name, plan.kernels.size(), human_time(whole),
                               result.kernel_ns.size(), human_time(sum), human_time(wall)) +
                   format_table({"kernel", "computes", "output", "configuration", "time", "share",
                                 arguments.check ? "error" : ""},
                                rows));
        if (arguments.check) {
            print_text(fmt::format("\n{} of {} tensors agree with the reference (1e-4 of their largest number)\n",
                                   std::ssize(checked) - failed, checked.size()));
        }
    }
    return failed == 0 ? exit_code::done : exit_code::check_failed;
}

} // namespace

void add_network_run(std::vector<Command>& subcommands, CLI::App& parser, const GlobalOptions& global)
{
    const auto [added, arguments] = add_subcommand<NetworkRunArguments>(
        subcommands, parser, "run", "plans a network and runs it on an OpenCL device", run_and_print, global);
    arguments->model.add_to(*added);
    arguments->plan.device = "pocl-cpu";
    arguments->plan.add_to(*added);
    added->add_option("--on", arguments->on, "OpenCL device, as for run");
    added->add_option("--input", arguments->inputs, "NAME=F.npy; inputs that are not given are drawn")
        ->allow_extra_args(false);
    added->add_option("--output", arguments->outputs, "NAME=F.npy to write")->allow_extra_args(false);
    added->add_flag("--check", arguments->check, "compare every tensor with the reference");
    added->add_option("--samples", arguments->run.samples, "runs of the whole that are timed")
        ->check(CLI::Range(1, 1000000));
    added->add_option("--warm-up", arguments->run.warm_up, "runs before those")->check(CLI::Range(0, 1000000));
    added->add_option("--timeout", arguments->run.timeout_seconds, "seconds that one run may take")
        ->check(CLI::PositiveNumber);
}

} // namespace texelscope::cli
