#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "base/npy.hpp"
#include "cli/arguments.hpp"
#include "cli/network_arguments.hpp"
#include "cli/result_file.hpp"
#include "cli/terminal.hpp"
#include "codegen/nest/schedule_parts.hpp"
#include "networks/onnx/write_onnx.hpp"
#include "networks/operators/node_operator.hpp"
#include "networks/passes/simplify.hpp"
#include "workbench/network_studies/arena_search.hpp"
#include "workbench/network_studies/network_notes.hpp"
#include "workbench/network_studies/network_report.hpp"
#include "workbench/network_studies/network_timeline.hpp"
#include "workbench/network_studies/policies/layout_policy.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>

namespace texelscope::cli {
namespace {

/// NAME=FILE pairs by the value of the graph that NAME is. Throws bad_input as named_files() does.
std::map<ValueId, std::string> files_of(const std::vector<std::string>& texts, const Graph& graph,
                                        const std::vector<ValueId>& known,
                                        const std::string& option)
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

void write_kernels(const Plan& plan, const std::string& folder)
{
    make_output_folder(folder, "--kernels");
    for (std::size_t k = 0; k < plan.kernels.size(); ++k) {
        const PlannedKernel& each = plan.kernels[k];
        const std::string name = fmt::format("{:03}-{}.cl", k, each.kernel.op.name);
        write_file_atomically((std::filesystem::path(folder) / name).string(),
                              opencl_text(each.nest, codegen::TexelBackend::native));
    }
}

/// The inputs of a run: from files, and drawn with the seed where none is given.
TensorNumbers inputs_of(const Graph& graph, const JudgingArguments& arguments, std::uint64_t seed)
{
    TensorNumbers numbers = drawn_inputs(graph, seed);
    for (const auto& [id, path] : files_of(arguments.inputs, graph, graph.inputs, "--input")) {
        NpyArray array = read_input(path, graph.value(id).name);
        if (array.shape != graph.value(id).shape) {
            throw bad_input(fmt::format("the array is {}, {} is {}", to_string(array.shape),
                                        graph.value(id).name, to_string(graph.value(id).shape)),
                            path, "give an array of that shape");
        }
        numbers[id] = std::move(array.values);
    }
    return numbers;
}

/// The files that are asked for beside what is printed.
void write_files(const JudgedNetwork& network, const JudgingArguments& arguments,
                 const GlobalOptions& global)
{
    const auto written = [&](const char* what, const std::string& path) {
        print_note(global, fmt::format("{} written to {}", what, path));
    };
    if (!arguments.annotated.empty()) {
        write_onnx(network.graph, arguments.annotated, network_notes(network));
        written("annotated model", arguments.annotated);
    }
    if (!arguments.timeline.empty()) {
        write_file_atomically(arguments.timeline, network_timeline(network));
        written("timeline", arguments.timeline);
    }
    if (!arguments.report.empty()) {
        write_file_atomically(arguments.report, network_report(network));
        written("report", arguments.report);
    }
}

/// What plan, simulate, run and crosscheck do; they differ in which judges the arguments name.
int judge_and_print(const JudgingArguments& arguments, const GlobalOptions& global, bool layouts)
{
    const JudgedNetwork network = judged(arguments, global);
    write_files(network, arguments, global);
    if (global.json) {
        ordered_json out = network_result_json(network, arguments.model.batch);
        if (network.training) {
            out["training"] = training_json(arguments, network);
        }
        print_json(out);
    } else {
        print_text(network_text(network, layouts));
    }
    return network.measured && network.measured->failed() > 0 ? exit_code::check_failed
                                                              : exit_code::done;
}

int plan_and_print(const JudgingArguments& arguments, const GlobalOptions& global)
{
    return judge_and_print(arguments, global, true);
}

int predict_and_print(const JudgingArguments& arguments, const GlobalOptions& global)
{
    const JudgedNetwork network = judged(arguments, global);
    const std::vector<KernelPrediction> predictions = predict_network(
        network.planned.plan, find_profile(network.profile), make_progress(global), interrupted);
    end_progress(global);
    write_files(network, arguments, global);
    if (global.json) {
        ordered_json out = network_prediction_json(network, predictions, arguments.model.batch);
        if (network.training) {
            out["training"] = training_json(arguments, network);
        }
        print_json(out);
    } else {
        print_text(network_prediction_text(network, predictions));
    }
    return exit_code::done;
}

int compare_and_print(const JudgingArguments& arguments, const GlobalOptions& global)
{
    return judge_and_print(arguments, global, false);
}

} // namespace

void JudgingArguments::add_plan_to(CLI::App& parser)
{
    model.add_to(parser);
    parser.add_option("--device", device, "profile that the network is planned for");
    parser.add_option("--kernels", kernels, "folder to write the kernels' OpenCL C to, numbered");
    parser.add_option(
        "--policy", judging.search.policy,
        fmt::format("whose layouts and schedules: {}", fmt::join(policy_keys(), ", ")));
    parser.add_option("--storage", storage, "what tensors are stored in: fp32 or fp16");
    parser.add_flag("--arena", arena,
                    "put all that kernels make into one buffer: the least memory");
    parser
        .add_option("--row-multiple", row_multiple,
                    "texels of which the rows of images in it have a multiple, where no device of "
                    "--on says so; 0: no images")
        ->check(CLI::Range(0, 4096));
    parser.add_option("--parts", judging.search.parts,
                      "parts of schedules that are searched, by letter");
    training.add_to(parser);
    parser.add_option("--annotated", annotated,
                      "F.onnx to write: the network, with notes at its nodes");
    parser.add_option("--timeline", timeline,
                      "F.pftrace to write: its kernels in time, for Perfetto");
    parser.add_option("--report", report, "F.html to write: a self-contained report");
}

void JudgingArguments::add_tuning_to(CLI::App& parser)
{
    parser
        .add_option("--tune", judging.search.candidates,
                    "further schedules of each kernel that are timed, on the device where there is "
                    "one, else on the simulated "
                    "one; 0: the model decides")
        ->check(CLI::Range(0, 10000));
    judging.program = TEXELSCOPE_VERSION;
    parser
        .add_option("--store", judging.store,
                    "file of results: schedules whose times are in it are not timed again, others' "
                    "times go into it")
        ->needs("--tune");
}

void JudgingArguments::add_simulation_to(CLI::App& parser)
{
    judging.simulate = true;
    parser
        .add_option("--accesses", judging.most_accesses,
                    "warp accesses of a kernel that are simulated at most; 0: all")
        ->check(CLI::NonNegativeNumber);
}

void JudgingArguments::add_run_to(CLI::App& parser)
{
    parser.add_option("--input", inputs, "NAME=F.npy; inputs that are not given are drawn")
        ->allow_extra_args(false);
    parser.add_option("--output", outputs, "NAME=F.npy to write")->allow_extra_args(false);
    parser.add_flag("--check", judging.check, "compare every tensor with the reference");
    parser.add_option("--samples", judging.run.samples, "runs of the whole that are timed")
        ->check(CLI::Range(1, 1000000));
    parser.add_option("--warm-up", judging.run.warm_up, "runs before those")
        ->check(CLI::Range(0, 1000000));
    parser.add_option("--timeout", judging.run.timeout_seconds, "seconds that one run may take")
        ->check(CLI::PositiveNumber);
}

Storage storage_named(const std::string& name)
{
    codegen::Schedule schedule;
    codegen::schedule_part('P').read(schedule, name, "--storage");
    return schedule.storage;
}

JudgedNetwork judged(const JudgingArguments& arguments, const GlobalOptions& global)
{
    const bool trains = arguments.training.train;
    // Training makes a graph of its own, a step with forward and backward pass, from the network.
    const Graph graph = trains ? Graph() : simplified(arguments.model.graph(global.seed));
    const auto outputs = trains ? std::map<ValueId, std::string>()
                                : files_of(arguments.outputs, graph, graph.outputs, "--output");
    const TensorNumbers inputs =
        trains ? TensorNumbers() : inputs_of(graph, arguments, global.seed);
    std::optional<OpenClDevice> device;
    if (arguments.on != "none") {
        // Opened before the plan is made, so that a device that is not there is found out at once.
        device.emplace(arguments.on, arguments.place.runner_options());
    } else {
        arguments.place.refuse("where nothing is run");
    }
    JudgingOptions options = arguments.judging;
    options.search.storage = storage_named(arguments.storage);
    const DeviceProfile profile = find_profile(arguments.device);
    if (arguments.training.memory > 0) {
        options.memory_budget = static_cast<std::int64_t>(arguments.training.memory);
    }
    if (arguments.arena || options.memory_budget) {
        options.arena = arena_rules(profile, arguments.row_multiple, device ? &*device : nullptr);
    }
    const OpenClDevice* const on = device ? &*device : nullptr;
    if (trains) {
        networks::TrainingStep step = training_of(arguments, global);
        if (on != nullptr) {
            options.training = training_run(arguments, step, global);
        } else {
            check_without_device(arguments);
        }
        JudgedNetwork network = judge_training(std::move(step), profile, options, on,
                                               make_progress(global), interrupted);
        end_progress(global);
        if (on != nullptr) {
            write_training(arguments, network, global);
        }
        if (!arguments.kernels.empty()) {
            write_kernels(network.planned.plan, arguments.kernels);
        }
        return network;
    }
    JudgedNetwork network =
        judge_network(graph, profile, options, on, inputs, make_progress(global), interrupted);
    end_progress(global);
    if (!arguments.kernels.empty()) {
        write_kernels(network.planned.plan, arguments.kernels);
    }
    if (device) {
        for (const auto& [id, path] : outputs) {
            write_file_atomically(
                path, npy_bytes({graph.value(id).shape, network.measured->found.at(id)}));
            print_note(global, "output " + graph.value(id).name + " written to " + path);
        }
    }
    return network;
}

void add_network_judges(std::vector<Command>& subcommands, CLI::App& parser,
                        const GlobalOptions& global)
{
    // Every subcommand has the options of the plan, and those of the judges that it asks.
    const auto [plan, planned] = add_subcommand<JudgingArguments>(
        subcommands, parser, "plan", "a schedule for every kernel and a layout for every tensor",
        plan_and_print, global);
    planned->add_plan_to(*plan);

    const auto [predict, predicted] = add_subcommand<JudgingArguments>(
        subcommands, parser, "predict",
        "plans a network and says what decides the time of its kernels, by the model",
        predict_and_print, global);
    predicted->add_plan_to(*predict);

    const auto [simulate, simulated] = add_subcommand<JudgingArguments>(
        subcommands, parser, "simulate",
        "plans a network and simulates its kernels one after the other", compare_and_print, global);
    simulated->add_plan_to(*simulate);
    simulated->add_simulation_to(*simulate);
    simulated->add_tuning_to(*simulate);

    const auto [run, measured] = add_subcommand<JudgingArguments>(
        subcommands, parser, "run", "plans a network and runs it on an OpenCL device",
        compare_and_print, global);
    // A run needs a device. The default is PoCL, OpenCL on the CPU, with the profile that describes
    // it.
    measured->on = "pocl";
    measured->device = "pocl-cpu";
    measured->add_plan_to(*run);
    measured->add_run_to(*run);
    measured->add_tuning_to(*run);
    measured->training.add_run_to(*run);
    run->add_option("--on", measured->on, "OpenCL device, as for run");
    measured->place.add_to(*run);

    const auto [crosscheck, compared] = add_subcommand<JudgingArguments>(
        subcommands, parser, "crosscheck",
        "predicted, simulated and measured times of a network, kernel by kernel", compare_and_print,
        global);
    compared->add_plan_to(*crosscheck);
    compared->add_simulation_to(*crosscheck);
    compared->add_run_to(*crosscheck);
    compared->add_tuning_to(*crosscheck);
    compared->training.add_run_to(*crosscheck);
    crosscheck->add_option("--on", compared->on, "OpenCL device, as for run; none: no run");
    compared->place.add_to(*crosscheck);
}

} // namespace texelscope::cli
