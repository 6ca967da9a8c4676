#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "base/file_bytes.hpp"
#include "base/npy.hpp"
#include "base/number_text.hpp"
#include "base/sha256.hpp"
#include "cli/arguments.hpp"
#include "cli/network_arguments.hpp"
#include "cli/result_file.hpp"
#include "cli/terminal.hpp"
#include "networks/onnx/write_onnx.hpp"
#include "networks/operators/node_operator.hpp"
#include "networks/passes/simplify.hpp"
#include "workbench/network_studies/training_checkpoint.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <utility>
#include <variant>

namespace texelscope::cli {
namespace {

using networks::Loss;
using networks::TrainingStep;

/// One-hot rows: class 2 of 4 becomes 0 0 1 0. Cross-entropy takes targets so. Throws bad_input for
/// a number that is no class.
std::vector<float> classes_as_rows(const std::vector<float>& classes, std::int64_t count,
                                   const std::string& path)
{
    std::vector<float> rows(classes.size() * static_cast<std::size_t>(count), 0.0F);
    for (std::size_t row = 0; row < classes.size(); ++row) {
        const auto number = static_cast<std::int64_t>(classes[row]);
        if (static_cast<float>(number) != classes[row] || number < 0 || number >= count) {
            throw bad_input(fmt::format("{:g} is no class from 0 to {}", classes[row], count - 1),
                            path);
        }
        rows[row * static_cast<std::size_t>(count) + static_cast<std::size_t>(number)] = 1;
    }
    return rows;
}

/// Reads samples, which lie along the first dimension, for an input that has the batch there.
/// `classes`: a list of class numbers will do, too. `samples`: how many the files before had; 0:
/// this is the first. All files must have as many.
std::vector<float> samples_in(const std::string& path, const TrainingStep& step, ValueId input,
                              bool classes, std::int64_t& samples)
{
    NpyArray array = read_input(path, step.graph.value(input).name);
    Shape shape = step.graph.value(input).shape;
    const std::int64_t found = array.shape.empty() ? 0 : array.shape.front();
    if (classes && array.shape.size() == 1 && shape.size() == 2) {
        array.values = classes_as_rows(array.values, shape.back(), path);
    } else {
        shape.front() = found;
        if (array.shape != shape || found == 0) {
            shape.front() = step.graph.value(input).shape.front();
            throw bad_input(
                fmt::format("the array is {}, a batch of {} is {}", to_string(array.shape),
                            step.graph.value(input).name, to_string(shape)),
                path,
                fmt::format(
                    "give samples of that shape, behind each other along the first dimension{}",
                    classes && shape.size() == 2 ? ", or a class number for each" : ""));
        }
    }
    if (samples != 0 && samples != found) {
        throw bad_input(fmt::format("it has {} samples, others have {}", found, samples), path);
    }
    samples = found;
    return std::move(array.values);
}

/// The samples that training runs over: those of the files, and drawn ones for inputs without.
TrainingData data_of(const JudgingArguments& arguments, const TrainingStep& step,
                     std::uint64_t seed)
{
    std::map<std::string, ValueId> by_name;
    std::vector<std::string> names;
    for (const ValueId input : step.graph.inputs) {
        // Inputs of the step that are no samples: weights and what is carried from step to step
        // (`first`), and the target, which has an option of its own.
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
    TrainingData data =
        drawn_data(step, loss, samples == 0 ? arguments.training.drawn : samples, seed);
    for (auto& [input, numbers] : given) {
        data.numbers[input] = std::move(numbers);
    }
    return data;
}

std::string attribute_text(const std::string& value)
{
    return value;
}

std::string attribute_text(const networks::Array& value)
{
    return std::visit(
        [](const auto& numbers) { return fmt::format("{}", fmt::join(numbers, ",")); },
        value.values);
}

template <class Number>
std::string attribute_text(const std::vector<Number>& value)
{
    return fmt::format("{}", fmt::join(value, ","));
}

std::string attribute_text(const auto& value)
{
    return fmt::format("{}", value);
}

/// A text of all that the numbers of training depend on. It is kept in a checkpoint, and a
/// checkpoint with another text is refused: going on from it would give other numbers than a run
/// without interruption. Graph, weights and samples are in it by digests of 16 hexadecimal digits.
std::string what_of(const JudgingArguments& arguments, const TrainingStep& step,
                    const TrainingData& data)
{
    const auto digest = [](const auto& list) {
        return base::sha256(
                   {reinterpret_cast<const char*>(list.data()), list.size() * sizeof(list[0])})
            .substr(0, 16);
    };
    const TrainingOptions& o = arguments.training.options;
    std::string nodes;
    for (const Node& node : step.graph.nodes) {
        nodes += fmt::format("{} {} of {}", node.op, fmt::join(node.outputs, ","),
                             fmt::join(node.inputs, ","));
        for (const auto& [name, value] : node.attributes.all()) {
            nodes += " " + name + "=" +
                     std::visit([](const auto& each) { return attribute_text(each); }, value);
        }
        nodes += " " + to_string(step.graph.value(node.outputs.front()).shape) + "\n";
    }
    std::string weights;
    for (const auto& [input, numbers] : step.first) {
        weights += digest(numbers);
    }
    std::string what = fmt::format(
        "network {}, loss {}, batch {}, rate {}, momentum {}, decay {}, {} batches a step, planned "
        "for {}, policy {}, "
        "parts {}, storage {}, {}, on {}, nodes {}, weights {}",
        step.graph.name, arguments.training.loss, arguments.model.batch, o.learning_rate,
        o.momentum, o.weight_decay, o.accumulate, arguments.device, arguments.judging.search.policy,
        arguments.judging.search.parts, arguments.storage,
        arguments.training.memory > 0 ? fmt::format("memory {} B", arguments.training.memory)
        : arguments.arena             ? fmt::format("arena with rows of {}", arguments.row_multiple)
                                      : std::string("no arena"),
        arguments.on, digest(nodes), digest(weights));
    for (const auto& [input, numbers] : data.numbers) {
        what += fmt::format(", {} {}", step.graph.value(input).name, digest(numbers));
    }
    return what;
}

/// Names of tensors may contain "/", which would name a folder.
std::string file_name_of(std::string name)
{
    std::ranges::replace(name, '/', '_');
    return name + ".npy";
}

/// Names and shapes of tensors.
using NamedShapes = std::map<ValueId, std::pair<std::string, std::vector<std::int64_t>>>;

NamedShapes named_shapes(const Graph& graph, const std::vector<ValueId>& ids)
{
    NamedShapes named;
    for (const ValueId id : ids) {
        named.emplace(id, std::pair(graph.value(id).name, graph.value(id).shape));
    }
    return named;
}

void write_arrays(const std::string& folder, const NamedShapes& named, const TensorNumbers& numbers)
{
    std::map<std::string, std::string> names; // by file
    for (const auto& [id, values] : numbers) {
        const auto& [name, shape] = named.at(id);
        const std::string file = file_name_of(name);
        if (const auto [other, fresh] = names.try_emplace(file, name); !fresh) {
            throw bad_input(fmt::format("{} and {} would be the same file", other->second, name),
                            (std::filesystem::path(folder) / file).string(),
                            "rename one of them in the network");
        }
        const std::string path = (std::filesystem::path(folder) / file).string();
        write_file_atomically(path, npy_bytes({shape, values}));
    }
}

std::vector<std::string> names_of(const TrainingStep& step)
{
    std::vector<std::string> names;
    for (const ValueId weight : step.weights) {
        names.push_back(step.graph.value(weight).name);
    }
    return names;
}

/// The trained weights, and the means and variances that normalisations have measured.
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
    const auto finite = [](const std::string& text) {
        double value = 0;
        const bool number =
            CLI::detail::lexical_cast(text, value) && std::isfinite(value) && value >= 0;
        return number ? std::string() : text + " is no number from 0 on";
    };
    const auto bytes = [](const std::string& text) {
        return text.starts_with('-') ? text + " is no number of bytes" : std::string();
    };
    CLI::Option* const flag =
        parser.add_flag("--train", train,
                        "train it: forward pass, loss, backward pass and the step of every weight");
    // "K" is 1024 bytes, not 1000.
    constexpr bool thousands = false;
    for (CLI::Option* const option :
         {parser.add_option("--loss", loss, "cross-entropy or mse"),
          parser
              .add_option("--learning-rate", options.learning_rate,
                          "of stochastic gradient descent")
              ->check(finite),
          parser.add_option("--momentum", options.momentum, "of it")
              ->check(finite)
              ->check(CLI::Range(0.0, 1.0)),
          parser
              .add_option("--weight-decay", options.weight_decay,
                          "part of each weight that joins its gradient")
              ->check(finite),
          parser
              .add_option("--freeze", options.frozen,
                          "NAME of a weight that stays as it is (repeatable)")
              ->allow_extra_args(false),
          parser
              .add_option("--accumulate", options.accumulate,
                          "batches over whose mean gradient a step is taken")
              ->check(CLI::Range(1, 1000000)),
          parser
              .add_option("--memory", memory,
                          "memory that training may take, such as 2GiB: all in one buffer, and "
                          "blocks of the forward "
                          "pass computed again where that is not enough")
              ->transform(CLI::AsSizeValue(thousands))
              ->check(bytes)}) {
        option->needs(flag);
    }
}

void TrainingArguments::add_run_to(CLI::App& parser)
{
    CLI::Option* const flag = parser.get_option("--train");
    for (CLI::Option* const option :
         {parser.add_option("--steps", steps, "steps that the weights take")
              ->check(CLI::Range(1, 100000000)),
          parser.add_option(
              "--target", target,
              "F.npy: what outputs should be, sample by sample, or of each sample its class"),
          parser.add_option("--data", drawn, "samples that are drawn where no file has them")
              ->check(CLI::Range(1, 1000000)),
          parser
              .add_option("--at-once", at_once,
                          "steps between two lines, and two checkpoints; 0: a twentieth of all, 10 "
                          "at least")
              ->check(CLI::NonNegativeNumber),
          parser.add_option("--checkpoint", checkpoint,
                            "file that keeps where training has come to; goes on from there"),
          parser.add_option("--gradients", gradients,
                            "folder to write the gradients of the last batch to, as NPY"),
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
    // Not folded: inference folds normalisations into weights, training needs them as they are.
    return training_step(simplified(arguments.model.graph(global.seed), false), options);
}

void check_without_device(const JudgingArguments& arguments)
{
    const TrainingArguments& asked = arguments.training;
    const std::pair<const char*, bool> options[] = {
        {"--input", !arguments.inputs.empty()},    {"--target", !asked.target.empty()},
        {"--gradients", !asked.gradients.empty()}, {"--weights", !asked.weights.empty()},
        {"--trained", !asked.trained.empty()},     {"--checkpoint", !asked.checkpoint.empty()}};
    for (const auto& [option, given] : options) {
        if (given) {
            throw bad_input("training runs on an OpenCL device, and none is named", option,
                            "name one by --on");
        }
    }
}

TrainingRun training_run(const JudgingArguments& arguments, const TrainingStep& step,
                         const GlobalOptions& global)
{
    const TrainingArguments& asked = arguments.training;
    TrainingRun run;
    run.data = data_of(arguments, step, global.seed);
    run.steps = asked.steps;
    // About 20 lines of progress and checkpoints for the whole training, but no fewer than 10 steps
    // between two of them, as each job builds its kernels anew.
    constexpr std::int64_t lines = 20, least = 10;
    run.at_once = asked.at_once > 0 ? asked.at_once : std::max(least, asked.steps / lines);
    run.accumulate = asked.options.accumulate;
    for (const auto& [option, folder] :
         {std::pair("--gradients", asked.gradients), std::pair("--weights", asked.weights)}) {
        // A folder that cannot be written is found out now, not after hours of training.
        if (!folder.empty()) {
            make_output_folder(folder, option);
            base::check_writable((std::filesystem::path(folder) / "weight.npy").string());
        }
    }
    if (!asked.trained.empty()) {
        base::check_writable(asked.trained);
    }
    const std::string what = what_of(arguments, step, run.data);
    if (!asked.checkpoint.empty()) {
        if (arguments.judging.search.candidates > 0) {
            throw bad_input(
                "schedules that were timed differ from time to time, and digits with them",
                "--checkpoint", "leave out --tune");
        }
        base::check_writable(asked.checkpoint);
        if (std::filesystem::exists(asked.checkpoint)) {
            run.from = read_checkpoint(std::string(base::map_file(asked.checkpoint)->view()), what,
                                       asked.checkpoint);
            print_note(global, fmt::format("goes on after step {} of {}", run.from.losses.size(),
                                           asked.checkpoint));
        }
    }
    if (std::ssize(run.from.losses) >= run.steps) {
        if (!asked.gradients.empty()) {
            throw bad_input("all steps are done, and a checkpoint has no gradients", "--gradients",
                            fmt::format("ask for more than {} steps", run.from.losses.size()));
        }
        print_note(global, fmt::format("all {} steps are done: it trains no more", run.steps));
    }
    std::int64_t numbers = 0;
    for (const ValueId weight : step.weights) {
        numbers += element_count(step.graph.value(weight).shape);
    }
    print_note(global,
               fmt::format("trains {} tensors of {} numbers", step.weights.size(), numbers));
    run.reached = [asked, what, global,
                   named = named_shapes(step.graph, step.weights)](const TrainingState& state) {
        // Gradients are written before the last checkpoint: a run that goes on from that one has no
        // steps left to compute them from.
        if (!asked.gradients.empty() && std::ssize(state.losses) >= asked.steps) {
            write_arrays(asked.gradients, named, state.gradients);
        }
        if (!asked.checkpoint.empty()) {
            write_file_atomically(asked.checkpoint, checkpoint_text(state, what));
        }
        end_progress(global);
        print_note(global, fmt::format("step {} of {}: loss {:.6g}", state.losses.size(),
                                       asked.steps, state.losses.back()));
    };
    return run;
}

void write_training(const JudgingArguments& arguments, const JudgedNetwork& network,
                    const GlobalOptions& global)
{
    const TrainingArguments& asked = arguments.training;
    if (!asked.gradients.empty()) { // written with the last step
        print_note(global, "gradients written to " + asked.gradients);
    }
    if (!asked.weights.empty()) {
        const TensorNumbers numbers = trained_numbers(network);
        std::vector<ValueId> ids;
        for (const auto& [id, values] : numbers) {
            ids.push_back(id);
        }
        write_arrays(asked.weights, named_shapes(network.graph, ids), numbers);
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
                      {"weights", network.training->weights.size()},
                      {"trained", names_of(*network.training)}};
    json["step_ns"] = network.measured ? ordered_json(o.accumulate * network.measured->in_kernels())
                                       : ordered_json();
    return json;
}

} // namespace texelscope::cli
