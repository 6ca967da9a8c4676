#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "base/file_bytes.hpp"
#include "base/npy.hpp"
#include "base/number_text.hpp"
#include "base/sha256.hpp"
#include "cli/arguments.hpp"
#include "cli/network_arguments.hpp"
#include "cli/terminal.hpp"
#include "experiments/networks/training_checkpoint.hpp"
#include "networks/onnx/write_onnx.hpp"
#include "networks/operators/node_operator.hpp"
#include "networks/passes/simplify.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

namespace texelscope::cli {
namespace {

using networks::Loss;
using networks::TrainingStep;

/// One class of each row, given by its number, as numbers of all classes.
std::vector<float> classes_as_rows(const std::vector<float>& classes, std::int64_t count, const std::string& path)
{
    std::vector<float> rows(classes.size() * static_cast<std::size_t>(count), 0.0F);
    for (std::size_t row = 0; row < classes.size(); ++row) {
        const auto number = static_cast<std::int64_t>(classes[row]);
        if (static_cast<float>(number) != classes[row] || number < 0 || number >= count) {
            throw bad_input(fmt::format("{:g} is no class from 0 to {}", classes[row], count - 1), path);
        }
        rows[row * static_cast<std::size_t>(count) + static_cast<std::size_t>(number)] = 1;
    }
    return rows;
}

/// Samples along the first dimension, of a value that has a batch along it.
std::vector<float> samples_in(const std::string& path, const TrainingStep& step, ValueId input, bool classes,
                              std::int64_t& samples)
{
    NpyArray array = read_npy(path);
    Shape shape = step.graph.value(input).shape;
    const std::int64_t found = array.shape.empty() ? 0 : array.shape.front();
    if (classes && array.shape.size() == 1 && shape.size() == 2) {
        array.values = classes_as_rows(array.values, shape.back(), path);
    } else {
        shape.front() = found;
        if (array.shape != shape || found == 0) {
            shape.front() = step.graph.value(input).shape.front();
            throw bad_input(fmt::format("the array is {}, a batch of {} is {}", to_string(array.shape),
                                        step.graph.value(input).name, to_string(shape)),
                            path, "give samples of that shape, behind each other along the first dimension");
        }
    }
    if (samples != 0 && samples != found) {
        throw bad_input(fmt::format("it has {} samples, others have {}", found, samples), path);
    }
    samples = found;
    return std::move(array.values);
}

/// Numbers of the files, the others drawn.
TrainingData data_of(const JudgingArguments& arguments, const TrainingStep& step, std::uint64_t seed)
{
    std::map<std::string, ValueId> by_name;
    std::vector<std::string> names;
    for (const ValueId input : step.graph.inputs) {
        if (!step.first.contains(input) && input != step.target) {
            by_name[step.graph.value(input).name] = input;
            names.push_back(step.graph.value(input).name);
        }
    }
    std::map<ValueId, std::string> files;
    for (const auto& [name, path] : named_files(arguments.inputs, names, "--input")) {
        files[by_name.at(name)] = path;
    }
    if (!arguments.training.target.empty()) {
        files[step.target] = arguments.training.target;
    }
    const Loss loss = networks::loss_named(arguments.training.loss);
    std::int64_t samples = 0;
    std::map<ValueId, std::vector<float>> given;
    for (const auto& [input, path] : files) {
        const bool classes = input == step.target && loss == Loss::cross_entropy;
        given[input] = samples_in(path, step, input, classes, samples);
    }
    TrainingData data = drawn_data(step, loss, samples == 0 ? arguments.training.drawn : samples, seed);
    for (auto& [input, numbers] : given) {
        data.numbers[input] = std::move(numbers);
    }
    return data;
}

/// All that the numbers of training depend on.
std::string what_of(const JudgingArguments& arguments, const TrainingStep& step, const TrainingData& data)
{
    const auto digest = [](const std::vector<float>& numbers) {
        return base::sha256({reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(float)})
            .substr(0, 16);
    };
    const TrainingOptions& o = arguments.training.options;
    std::string what = fmt::format("{} {}, rate {:g}, momentum {:g}, decay {:g}, {} runs a step, planned for {} ({}, {}{}) on {}",
                                   step.graph.name, arguments.training.loss, o.learning_rate, o.momentum, o.weight_decay,
                                   o.accumulate, arguments.device, arguments.judging.search.policy, arguments.storage,
                                   arguments.arena ? ", arena" : "", arguments.on);
    for (const auto& [input, numbers] : data.numbers) {
        what += fmt::format(", {} {}", step.graph.value(input).name, digest(numbers));
    }
    for (const auto& [input, numbers] : step.first) {
        what += fmt::format(" {}", digest(numbers).substr(0, 4));
    }
    return what;
}

std::string file_name_of(std::string name)
{
    std::ranges::replace(name, '/', '_');
    return name + ".npy";
}

void write_arrays(const std::string& folder, const Graph& graph, const TensorNumbers& numbers)
{
    std::filesystem::create_directories(folder);
    for (const auto& [id, values] : numbers) {
        const std::string path = (std::filesystem::path(folder) / file_name_of(graph.value(id).name)).string();
        write_file_atomically(path, npy_bytes({graph.value(id).shape, values}));
    }
}

/// Weights and what normalisations have measured.
TensorNumbers trained_numbers(const JudgedNetwork& network)
{
    TensorNumbers numbers;
    for (const auto* ids : {&network.training->weights, &network.training->measured}) {
        for (const ValueId id : *ids) {
            numbers[id] = network.trained.carried.at(id);
        }
    }
    return numbers;
}

} // namespace

void TrainingArguments::add_to(CLI::App& parser)
{
    CLI::Option* const flag =
        parser.add_flag("--train", train, "train it: forward pass, loss, backward pass and the step of every weight");
    constexpr bool thousands = false;
    for (CLI::Option* const option :
         {parser.add_option("--loss", loss, "cross-entropy or mse"),
          parser.add_option("--learning-rate", options.learning_rate, "of stochastic gradient descent")
              ->check(CLI::NonNegativeNumber),
          parser.add_option("--momentum", options.momentum, "of it")->check(CLI::Range(0.0, 1.0)),
          parser.add_option("--weight-decay", options.weight_decay, "part of each weight that joins its gradient")
              ->check(CLI::NonNegativeNumber),
          parser.add_option("--accumulate", options.accumulate, "batches over whose mean gradient a step is taken")
              ->check(CLI::Range(1, 1000000)),
          parser
              .add_option("--memory", memory,
                          "memory that training may take, such as 2GiB: all in one buffer, and blocks of the forward "
                          "pass computed again where that is not enough")
              ->transform(CLI::AsSizeValue(thousands))}) {
        option->needs(flag);
    }
}

void TrainingArguments::add_run_to(CLI::App& parser)
{
    CLI::Option* const flag = parser.get_option("--train");
    for (CLI::Option* const option :
         {parser.add_option("--steps", steps, "steps that the weights take")->check(CLI::Range(1, 100000000)),
          parser.add_option("--target", target,
                            "F.npy: what outputs should be, sample by sample, or of each sample its class"),
          parser.add_option("--data", drawn, "samples that are drawn where no file has them")
              ->check(CLI::Range(1, 1000000)),
          parser.add_option("--at-once", at_once, "steps between two lines, and two checkpoints; 0: a twentieth of all")
              ->check(CLI::NonNegativeNumber),
          parser.add_option("--checkpoint", checkpoint,
                            "file that keeps where training has come to; goes on from there"),
          parser.add_option("--gradients", gradients, "folder to write the gradients of the last batch to, as NPY"),
          parser.add_option("--weights", weights, "folder to write the trained weights to, as NPY"),
          parser.add_option("--trained", trained, "F.onnx to write: the network with them")}) {
        option->needs(flag);
    }
    for (const char* const of_runs : {"--output", "--samples", "--warm-up"}) {
        flag->excludes(parser.get_option(of_runs));
    }
}

TrainingStep training_of(const JudgingArguments& arguments, const GlobalOptions& global)
{
    TrainingOptions options = arguments.training.options;
    options.loss = networks::loss_named(arguments.training.loss);
    options.keep_gradients = !arguments.training.gradients.empty();
    return training_step(simplified(arguments.model.graph(global.seed), false), options);
}

TrainingRun training_run(const JudgingArguments& arguments, const TrainingStep& step, const GlobalOptions& global)
{
    const TrainingArguments& asked = arguments.training;
    TrainingRun run;
    run.data = data_of(arguments, step, global.seed);
    run.steps = asked.steps;
    constexpr std::int64_t lines = 20;
    run.at_once = asked.at_once > 0 ? asked.at_once : std::max<std::int64_t>(1, asked.steps / lines);
    run.accumulate = asked.options.accumulate;
    const std::string what = what_of(arguments, step, run.data);
    if (!asked.checkpoint.empty()) {
        if (arguments.judging.search.candidates > 0) {
            throw bad_input("schedules that were timed differ from time to time, and digits with them", "--checkpoint",
                            "leave out --tune");
        }
        base::check_writable(asked.checkpoint);
        if (std::filesystem::exists(asked.checkpoint)) {
            run.from = read_checkpoint(std::string(base::map_file(asked.checkpoint)->view()), what, asked.checkpoint);
            print_note(global, fmt::format("goes on after step {} of {}", run.from.losses.size(), asked.checkpoint));
        }
    }
    run.reached = [asked, what, global](const TrainingState& state) {
        if (!asked.checkpoint.empty()) {
            write_file_atomically(asked.checkpoint, checkpoint_text(state, what));
        }
        end_progress(global);
        print_note(global, fmt::format("step {} of {}: loss {:.6g}", state.losses.size(), asked.steps, state.losses.back()));
    };
    return run;
}

void write_training(const JudgingArguments& arguments, const JudgedNetwork& network, const GlobalOptions& global)
{
    const TrainingArguments& asked = arguments.training;
    const Graph& graph = network.graph;
    if (!asked.gradients.empty()) {
        write_arrays(asked.gradients, graph, network.trained.gradients);
        print_note(global, "gradients written to " + asked.gradients);
    }
    if (!asked.weights.empty()) {
        write_arrays(asked.weights, graph, trained_numbers(network));
        print_note(global, "weights written to " + asked.weights);
    }
    if (!asked.trained.empty()) {
        Graph trained = simplified(arguments.model.graph(global.seed), false);
        for (auto& [id, numbers] : trained_numbers(network)) {
            trained.constants.at(id) = numbers;
        }
        write_onnx(trained, asked.trained);
        print_note(global, "trained network written to " + asked.trained);
    }
}

ordered_json training_json(const JudgingArguments& arguments, const JudgedNetwork& network)
{
    const TrainingOptions& o = arguments.training.options;
    ordered_json json{{"loss", arguments.training.loss},
                      {"learning_rate", o.learning_rate},
                      {"momentum", o.momentum},
                      {"weight_decay", o.weight_decay},
                      {"accumulate", o.accumulate},
                      {"weights", network.training->weights.size()}};
    json["step_ns"] = network.measured ? ordered_json(o.accumulate * network.measured->in_kernels()) : ordered_json();
    return json;
}

} // namespace texelscope::cli
