#include "base/error.hpp"
#include "base/lists.hpp"
#include "networks/models/models.hpp"
#include "networks/onnx/write_onnx.hpp"
#include "networks/operators/node_operator.hpp"
#include "networks/passes/simplify.hpp"
#include "python/arrays.hpp"
#include "python/bind_launch.hpp"
#include "python/bind_network_result.hpp"
#include "python/long_call.hpp"
#include "python/tables.hpp"
#include "workbench/network_studies/arena_search.hpp"
#include "workbench/network_studies/policies/layout_policy.hpp"

#include <fmt/format.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace texelscope::python {
namespace {

using networks::Graph;
using networks::TensorNumbers;
using networks::ValueId;
using Shapes = std::map<std::string, std::vector<std::int64_t>>;
using Arrays = std::map<std::string, FloatArray>;

/// A network as it was opened; weights and drawn inputs go by the seed.
struct Network {
    Graph graph;
    std::uint64_t seed = 1;
};

Shapes shapes_of(const Graph& graph, const std::vector<ValueId>& values)
{
    Shapes shapes;
    for (const ValueId id : values) {
        shapes[graph.value(id).name] = graph.value(id).shape;
    }
    return shapes;
}

ResultTable nodes_of(const Network& self)
{
    ResultTable table{{"node", "op", "output", "multiply-adds"}, {}};
    for (const networks::Node& node : self.graph.nodes) {
        table.rows.push_back({node.name, node.op,
                              networks::to_string(self.graph.value(node.outputs.front()).shape),
                              networks::multiply_adds(self.graph, node)});
    }
    return table;
}

std::string heading_of(const Network& self)
{
    return fmt::format("{}: {} nodes", self.graph.name, self.graph.nodes.size());
}

/// Replaces numbers by a caller's arrays, by the names of their values. Throws bad_input for
/// another name or shape.
void put_arrays(TensorNumbers& numbers, const Graph& graph, const std::vector<ValueId>& known,
                const Arrays& arrays)
{
    for (const auto& [name, array] : arrays) {
        const auto found =
            std::ranges::find_if(known, [&](ValueId id) { return graph.value(id).name == name; });
        if (found == known.end()) {
            throw bad_input("there is no input '" + name + "'", "inputs",
                            "inputs are " +
                                joined(known, [&](ValueId id) { return graph.value(id).name; }));
        }
        const networks::Shape& shape = graph.value(*found).shape;
        if (!std::equal(shape.begin(), shape.end(), array.shape_ptr(),
                        array.shape_ptr() + array.ndim())) {
            throw bad_input(fmt::format("the array has {} dimensions and {} elements, {} is {}",
                                        array.ndim(), array.size(), name,
                                        networks::to_string(shape)),
                            "inputs", "give an array of that shape");
        }
        numbers[*found].assign(array.data(), array.data() + array.size());
    }
}

/// What is asked of a network's judges: one struct for plan(), simulate(), run() and train(), each
/// of which sets its own members. It mirrors the options of the command `network`.
struct NetworkQuestion {
    GivenDevice device = std::string("adreno-740");
    std::string policy = "ours";
    std::string storage = "fp32";
    bool arena = false;
    std::int64_t tune = 0;
    std::optional<std::string> store = {};
    bool simulate = false;
    std::int64_t most_accesses = 20'000;
    std::optional<DevicePlace> on = {};
    bool check = false;
    int samples = 5;
};

JudgingOptions options_of(const NetworkQuestion& question)
{
    if (question.storage != "fp32" && question.storage != "fp16") {
        throw bad_input("'" + question.storage + "' is no storage", "storage", "give fp32 or fp16");
    }
    if (question.tune < 0 || question.most_accesses < 0 || question.samples < 1) {
        throw bad_input("tune or accesses below 0, or samples below 1", "network",
                        "give larger numbers");
    }
    JudgingOptions options;
    options.search.policy = question.policy;
    options.search.storage = question.storage == "fp16" ? Storage::fp16 : Storage::fp32;
    options.search.candidates = static_cast<std::size_t>(question.tune);
    options.store = question.store.value_or("");
    options.program = TEXELSCOPE_VERSION;
    options.simulate = question.simulate;
    options.most_accesses = question.most_accesses;
    options.check = question.check;
    options.run.samples = question.samples;
    return options;
}

/// Plans the network and asks the judges that the question names. Arrays are read before the
/// interpreter's lock is let go.
Judged judge(const Network& self, const NetworkQuestion& question, const Arrays& inputs,
             const GivenProgress& progress)
{
    const DeviceProfile profile = profile_of(question.device);
    JudgingOptions options = options_of(question);
    LongCall call(progress);
    return call.run([&] {
        const Graph graph = simplified(self.graph);
        TensorNumbers numbers = drawn_inputs(graph, self.seed);
        put_arrays(numbers, graph, graph.inputs, inputs);
        std::optional<OpenClDevice> device;
        if (question.on) {
            device.emplace(question.on->on, question.on->how);
        }
        const OpenClDevice* const on = device ? &*device : nullptr;
        if (question.arena) {
            constexpr std::int32_t row_multiple = 64; // as the command line has it
            options.arena = arena_rules(profile, row_multiple, on);
        }
        return Judged{
            judge_network(graph, profile, options, on, numbers, call.progress(), call.stop()),
            graph.outputs};
    });
}

/// How a network is trained.
struct TrainingQuestion {
    networks::TrainingOptions options;
    std::int64_t steps = 10;
    std::int64_t drawn = 32; ///< samples, where no array has them
    std::optional<std::int64_t> memory;
};

/// Samples along the first dimension, of inputs by name and of the target; drawn where none is
/// given. All arrays must have as many samples.
TrainingData data_of(const networks::TrainingStep& step, const TrainingQuestion& question,
                     const Arrays& inputs, const std::optional<FloatArray>& target,
                     std::uint64_t seed)
{
    std::map<ValueId, FloatArray> given;
    for (const auto& [name, array] : inputs) {
        const auto found = std::ranges::find_if(step.graph.inputs, [&](ValueId id) {
            // Weights (`first`) and the target are inputs of the step, too, and are no samples.
            return step.graph.value(id).name == name && id != step.target &&
                   !step.first.contains(id);
        });
        if (found == step.graph.inputs.end()) {
            throw bad_input("the network has no input '" + name + "'", "inputs",
                            "see Network.inputs");
        }
        given.emplace(*found, array);
    }
    if (target) {
        given.emplace(step.target, *target);
    }
    std::int64_t samples = 0;
    for (const auto& [id, array] : given) {
        const networks::Shape& batch = step.graph.value(id).shape;
        const std::vector<std::int64_t> shape(array.shape_ptr(), array.shape_ptr() + array.ndim());
        const bool fits = shape.size() == batch.size() && !shape.empty() && shape.front() > 0 &&
                          std::equal(shape.begin() + 1, shape.end(), batch.begin() + 1) &&
                          (samples == 0 || samples == shape.front());
        if (!fits) {
            throw bad_input(
                fmt::format("the array is {}, a batch of {} is {}", networks::to_string(shape),
                            step.graph.value(id).name, networks::to_string(batch)),
                "train", "give samples of that shape behind each other, as many of each");
        }
        samples = shape.front();
    }
    TrainingData data =
        drawn_data(step, question.options.loss, samples == 0 ? question.drawn : samples, seed);
    for (const auto& [id, array] : given) {
        data.numbers[id].assign(array.data(), array.data() + array.size());
    }
    return data;
}

Judged train(const Network& self, NetworkQuestion question, TrainingQuestion training,
             const Arrays& inputs, const std::optional<FloatArray>& target,
             const GivenProgress& progress)
{
    const DeviceProfile profile = profile_of(question.device);
    JudgingOptions options = options_of(question);
    constexpr std::int64_t most_steps = 100'000'000;
    const auto is_rate = [](double rate) { return std::isfinite(rate) && rate >= 0; };
    const networks::TrainingOptions& rates = training.options;
    if (training.steps < 1 || training.steps > most_steps || training.drawn < 1 ||
        rates.accumulate < 1) {
        throw bad_input("steps, samples or accumulate are below 1 or too many", "train",
                        "give numbers from 1 on");
    }
    if (!is_rate(rates.learning_rate) || !is_rate(rates.momentum) || rates.momentum > 1 ||
        !is_rate(rates.weight_decay)) {
        throw bad_input("a rate is no number from 0 on, or momentum is above 1", "train",
                        "give numbers from 0 on");
    }
    if (!question.on && (!inputs.empty() || target)) {
        throw bad_input("samples are given, and no device trains on them", "train",
                        "name one by on=");
    }
    LongCall call(progress);
    return call.run([&] {
        // Inference folds normalisations into weights. Training needs them as they are.
        constexpr bool fold = false;
        networks::TrainingStep step = training_step(simplified(self.graph, fold), training.options);
        if (question.on) {
            TrainingRun run;
            run.data = data_of(step, training, inputs, target, self.seed);
            run.steps = training.steps;
            // All steps as one job: without checkpoints nothing is wanted between them.
            run.at_once = training.steps;
            run.accumulate = training.options.accumulate;
            options.training = std::move(run);
        }
        std::optional<OpenClDevice> device;
        if (question.on) {
            device.emplace(question.on->on, question.on->how);
        }
        const OpenClDevice* const on = device ? &*device : nullptr;
        if (question.arena || training.memory) {
            constexpr std::int32_t row_multiple = 64;
            options.arena = arena_rules(profile, row_multiple, on);
            options.memory_budget = training.memory;
        }
        return Judged{
            judge_training(std::move(step), profile, options, on, call.progress(), call.stop()),
            {}};
    });
}

} // namespace

void add_networks(nb::module_& module)
{
    add_network_results(module);
    module.def(
        "networks",
        [] { return mapped(networks::built_in_models(), &networks::BuiltInModel::name); },
        "Names of the built-in networks.");

    nb::class_<Network> network(
        module, "Network", "A whole network: a built-in one with drawn weights, or an ONNX file.");
    network
        .def(
            "__init__",
            [](Network* self, const std::filesystem::path& model, std::int64_t batch,
               std::uint64_t seed) {
                constexpr std::int64_t most_batch = 65536;
                if (batch < 1 || batch > most_batch) {
                    throw bad_input("the batch is " + std::to_string(batch), "Network",
                                    "give 1 to 65536");
                }
                new (self) Network{networks::open_network(model.string(), batch, seed), seed};
            },
            nb::call_guard<nb::gil_scoped_release>(), nb::arg("model"), nb::arg("batch") = 1,
            nb::arg("seed") = 1,
            "model: a name of networks(), or an ONNX file.\nbatch: extent of the first dimension, "
            "where the file "
            "leaves it open.\nseed: of drawn weights and inputs.")
        .def_prop_ro("name", [](const Network& self) { return self.graph.name; })
        .def_prop_ro(
            "inputs", [](const Network& self) { return shapes_of(self.graph, self.graph.inputs); },
            "Shapes by name.")
        .def_prop_ro("outputs",
                     [](const Network& self) { return shapes_of(self.graph, self.graph.outputs); })
        .def(
            "save",
            [](const Network& self, const std::filesystem::path& path) {
                write_onnx(self.graph, path.string());
            },
            nb::call_guard<nb::gil_scoped_release>(), nb::arg("path"), "Writes F.onnx.")
        .def("__repr__", [](const Network& self) { return "Network(" + heading_of(self) + ")"; });
    add_table_members(network, nodes_of, [](const Network& self) { return heading_of(self); });

    network
        .def(
            "plan",
            [](const Network& self, const GivenDevice& device, const std::string& policy,
               const std::string& storage, bool arena, const GivenProgress& progress) {
                return judge(
                    self, {.device = device, .policy = policy, .storage = storage, .arena = arena},
                    {}, progress);
            },
            nb::arg("device") = "adreno-740", nb::arg("policy") = "ours",
            nb::arg("storage") = "fp32", nb::arg("arena") = false,
            nb::arg("progress").none() = GivenProgress(),
            "A schedule for every kernel and a layout for every tensor, by the model.\n"
            "policy: whose layouts and schedules: ours, or another framework's (see policies()).\n"
            "storage: of tensors, fp32 or fp16. arena: put all that kernels make into one buffer.")
        .def(
            "simulate",
            [](const Network& self, const GivenDevice& device, const std::string& policy,
               const std::string& storage, bool arena, std::int64_t accesses, std::int64_t tune,
               const GivenPath& store, const GivenProgress& progress) {
                return judge(self,
                             {.device = device,
                              .policy = policy,
                              .storage = storage,
                              .arena = arena,
                              .tune = tune,
                              .store = store ? std::optional(store->string()) : std::nullopt,
                              .simulate = true,
                              .most_accesses = accesses},
                             {}, progress);
            },
            nb::arg("device") = "adreno-740", nb::arg("policy") = "ours",
            nb::arg("storage") = "fp32", nb::arg("arena") = false, nb::arg("accesses") = 20'000,
            nb::arg("tune") = 0, nb::arg("store") = nb::none(),
            nb::arg("progress").none() = GivenProgress(),
            "Plans it, and simulates its kernels one after the other.\n"
            "accesses: warp accesses of a kernel that are simulated in time at most; 0: all.\n"
            "tune: further schedules of each kernel that are timed; store: file that keeps their "
            "times.")
        .def(
            "run",
            [](const Network& self, const GivenArrays& inputs, const GivenOn& on,
               const GivenDevice& device, const std::string& policy, const std::string& storage,
               bool check, int samples, std::int64_t tune, const GivenProgress& progress) {
                return judge(self,
                             {.device = device,
                              .policy = policy,
                              .storage = storage,
                              .tune = tune,
                              .on = place_of(on),
                              .check = check,
                              .samples = samples},
                             float_arrays(inputs), progress);
            },
            nb::arg("inputs") = GivenArrays(), nb::arg("on") = default_on,
            nb::arg("device") = "pocl-cpu", nb::arg("policy") = "ours", nb::arg("storage") = "fp32",
            nb::arg("check") = false, nb::arg("samples") = 5, nb::arg("tune") = 0,
            nb::arg("progress").none() = GivenProgress(),
            nb::sig("def run(self, inputs: collections.abc.Mapping[str, numpy.typing.ArrayLike] = "
                    "{}, on: Place | str | int = "
                    "'pocl', device: Device | "
                    "str = 'pocl-cpu', policy: str = 'ours', storage: str = 'fp32', check: bool = "
                    "False, samples: int "
                    "= 5, tune: int = 0, progress: collections.abc.Callable[[str, float], object] "
                    "| bool | None = "
                    "None) -> NetworkResult"),
            "Plans it for a profile (device) and runs it on an OpenCL device (on).\n"
            "inputs: float32 arrays by name; those that are not given are drawn. check: compare "
            "every tensor with the "
            "reference.\n"
            "samples: runs that are timed. tune: further schedules of each kernel that are timed "
            "there.")
        .def(
            "train",
            [](const Network& self, const GivenArrays& inputs,
               const std::optional<nb::object>& target, const std::optional<GivenOn>& on,
               const GivenDevice& device, std::int64_t steps, const std::string& loss,
               double learning_rate, double momentum, double weight_decay, int accumulate,
               const std::vector<std::string>& frozen, std::optional<std::int64_t> memory,
               std::int64_t samples, bool simulate, const GivenProgress& progress) {
                TrainingQuestion training;
                training.options = {networks::loss_named(loss),
                                    learning_rate,
                                    momentum,
                                    weight_decay,
                                    accumulate,
                                    false,
                                    frozen};
                training.steps = steps;
                training.drawn = samples;
                training.memory = memory;
                return train(self,
                             {.device = device,
                              .simulate = simulate,
                              .on = on ? std::optional(place_of(*on)) : std::nullopt},
                             training, float_arrays(inputs),
                             target ? std::optional(float_array(*target)) : std::nullopt, progress);
            },
            nb::arg("inputs") = GivenArrays(), nb::arg("target") = nb::none(),
            nb::arg("on") = default_on, nb::arg("device") = "pocl-cpu", nb::arg("steps") = 10,
            nb::arg("loss") = "cross-entropy", nb::arg("learning_rate") = 0.01,
            nb::arg("momentum") = 0.0, nb::arg("weight_decay") = 0.0, nb::arg("accumulate") = 1,
            nb::arg("frozen") = std::vector<std::string>(), nb::arg("memory") = nb::none(),
            nb::arg("samples") = 32, nb::arg("simulate") = false,
            nb::arg("progress").none() = GivenProgress(),
            nb::sig("def train(self, inputs: collections.abc.Mapping[str, numpy.typing.ArrayLike] "
                    "= {}, target: "
                    "numpy.typing.ArrayLike | "
                    "None = None, on: Place | str | int | None = 'pocl', device: Device | str = "
                    "'pocl-cpu', steps: int = 10, loss: "
                    "str = 'cross-entropy', learning_rate: float = 0.01, momentum: float = 0.0, "
                    "weight_decay: float = "
                    "0.0, accumulate: int = 1, frozen: collections.abc.Sequence[str] = [], memory: "
                    "int | None = None, "
                    "samples: int = 32, "
                    "simulate: bool = False, progress: collections.abc.Callable[[str, float], "
                    "object] | bool | None = "
                    "None) -> NetworkResult"),
            "Plans a step of training for a profile and takes steps on an OpenCL device; on=None: "
            "plans alone.\n"
            "inputs, target: samples behind each other along the first dimension; drawn where they "
            "are not given "
            "(samples: how many).\n"
            "loss: cross-entropy or mse. accumulate: batches of a step. frozen: names of weights "
            "that stay as they "
            "are.\n"
            "memory: bytes that it may take: blocks of the forward pass are computed again where "
            "that is not enough.");
    module.def("policies", &policy_keys, "Names that Network.plan() takes as policy.");
}

} // namespace texelscope::python
