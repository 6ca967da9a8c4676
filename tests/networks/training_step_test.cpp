// Steps of training: batch statistics against differences of the loss, descent against its
// formulas, and both on devices.

#include "base/error.hpp"
#include "devices/kernels/opencl_device.hpp"
#include "networks/execution/network_job.hpp"
#include "networks/models/builder.hpp"
#include "networks/operators/node_operator.hpp"
#include "networks/passes/simplify.hpp"
#include "networks/plan/arena_plan.hpp"
#include "networks/plan/memory_plan.hpp"
#include "networks/plan/plan.hpp"
#include "networks/training/training_step.hpp"
#include "tests/base/random.hpp"
#include "tests/random_cases.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

using namespace texelscope;
using namespace texelscope::networks;
using texelscope::test::Random;

namespace {

/// Convolutions with normalisations, a residual, a depthwise convolution, a pool and two dense
/// layers: random widths.
Graph small_network(std::uint64_t seed, std::int64_t batch)
{
    Random random(seed);
    Builder net("small", seed);
    const std::int64_t width = random.between(2, 6);
    ValueId x = net.input("x", {batch, random.between(1, 3), 6, 6});
    x = net.conv_norm(x, {width, {3, 3}, 1, {1, 1}});
    const ValueId y =
        net.conv_norm(x, {width, {3, 3}, 1, {1, 1}, random.one_in(2) ? width : 1}, "");
    x = net.node("Relu", {net.node("Add", {x, y})});
    x = net.pool(x, "MaxPool", 2, 2);
    x = net.relu6(net.batch_norm(net.conv(x, {random.between(1, 5), {1, 1}, 1, {0, 0}, 1, true})));
    x = net.node("Flatten", {x});
    x = net.node("Relu", {net.gemm(x, random.between(3, 7))});
    return std::move(net).finish(net.gemm(x, random.between(2, 5)));
}

std::vector<double> drawn(Random& random, std::int64_t count, double low, double high)
{
    std::vector<double> numbers;
    for (std::int64_t i = 0; i < count; ++i) {
        numbers.push_back(low +
                          (high - low) * static_cast<double>(random.between(0, 1000000)) / 1e6);
    }
    return numbers;
}

/// Inputs of a run by value: drawn data, and what is carried.
using Numbers = std::map<ValueId, std::vector<double>>;

void draw_data(const TrainingStep& step, Random& random, Numbers& numbers)
{
    for (const ValueId input : step.graph.inputs) {
        if (!step.first.contains(input)) {
            const bool probabilities = input == step.target;
            numbers[input] = drawn(random, element_count(step.graph.value(input).shape),
                                   probabilities ? 0 : -1, 1);
        }
    }
}

Numbers begun(const TrainingStep& step)
{
    Numbers numbers;
    for (const auto& [id, first] : step.first) {
        numbers[id] = {first.begin(), first.end()};
    }
    return numbers;
}

std::vector<Reals> in_order(const Graph& graph, const Numbers& numbers)
{
    std::vector<Reals> inputs;
    for (const ValueId id : graph.inputs) {
        inputs.push_back({graph.value(id).shape, numbers.at(id)});
    }
    return inputs;
}

/// What the run `number`, from 0, leaves in the places of what is carried.
void carry_on(const Graph& graph, int number, const std::vector<Reals>& values, Numbers& numbers)
{
    for (const Carried& each : graph.carried) {
        const auto made = std::ranges::find_if(graph.nodes, [&](const Node& node) {
            return std::ranges::count(node.outputs, each.next) > 0;
        });
        if ((number + 1) % made->every == 0) {
            numbers[place_of(graph, each.next)] =
                values[static_cast<std::size_t>(each.next)].values;
        }
    }
}

double largest(const std::vector<double>& numbers)
{
    double most = 0;
    for (const double number : numbers) {
        most = std::max(most, std::abs(number));
    }
    return most;
}

} // namespace

TEST_CASE("Gradients through the statistics of a batch are what differences of the loss say")
{
    for (const Loss loss : {Loss::cross_entropy, Loss::mean_squared_error}) {
        const int seeds = texelscope::test::random_cases(3, 20);
        for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(seeds); ++seed) {
            Random random(seed);
            TrainingOptions options;
            options.loss = loss;
            options.keep_gradients = true;
            const TrainingStep step = training_step(small_network(seed, 2), options);
            Numbers numbers = begun(step);
            draw_data(step, random, numbers);
            const std::vector<Reals> values =
                reference_values(step.graph, in_order(step.graph, numbers), true);
            REQUIRE(step.gradients.size() == step.weights.size());
            for (const auto& [weight, gradient] : step.gradients) {
                const std::vector<double>& found =
                    values[static_cast<std::size_t>(gradient)].values;
                const auto at = static_cast<std::size_t>(random.between(0, std::ssize(found) - 1));
                constexpr double change = 1e-6;
                double losses[2];
                for (const int side : {0, 1}) {
                    Numbers moved = numbers;
                    moved[weight][at] += side == 0 ? change : -change;
                    losses[side] = reference_values(step.graph, in_order(step.graph, moved),
                                                    true)[static_cast<std::size_t>(step.loss)]
                                       .values.front();
                }
                CAPTURE(to_string(loss), seed, step.graph.value(weight).name, at);
                CHECK(found[at] == Approx((losses[0] - losses[1]) / (2 * change))
                                       .margin(1e-6 * largest(found) + 1e-7));
            }
        }
    }
}

TEST_CASE("Normalisations keep means of what they have measured")
{
    Random random(3);
    const Graph network = small_network(3, 2);
    const TrainingStep step = training_step(network, {});
    Numbers numbers = begun(step);
    draw_data(step, random, numbers);
    const std::vector<Reals> values =
        reference_values(step.graph, in_order(step.graph, numbers), true);
    Numbers after = numbers;
    carry_on(step.graph, 0, values, after);
    int checked = 0;
    for (const Node& node : network.nodes) {
        if (node.op != "BatchNormalization") {
            continue;
        }
        const Reals& x = values[static_cast<std::size_t>(node.inputs[0])];
        const auto channels = static_cast<std::size_t>(x.shape[1]);
        const std::size_t plane = static_cast<std::size_t>(x.shape[2] * x.shape[3]);
        for (std::size_t c = 0; c < channels; ++c) {
            std::vector<double> of_channel;
            for (std::size_t at = 0; at < x.values.size(); ++at) {
                if (at / plane % channels == c) {
                    of_channel.push_back(x.values[at]);
                }
            }
            const double count = static_cast<double>(of_channel.size());
            double mean = 0;
            for (const double number : of_channel) {
                mean += number / count;
            }
            double variance = 0; // by n - 1, as PyTorch keeps it
            for (const double number : of_channel) {
                variance += (number - mean) * (number - mean) / (count - 1);
            }
            CHECK(after[node.inputs[3]][c] ==
                  Approx(0.9 * numbers[node.inputs[3]][c] + 0.1 * mean));
            CHECK(after[node.inputs[4]][c] ==
                  Approx(0.9 * numbers[node.inputs[4]][c] + 0.1 * variance));
            ++checked;
        }
    }
    CHECK(checked > 5);
}

TEST_CASE("Weights move as stochastic gradient descent says")
{
    for (const double momentum : {0.0, 0.9}) {
        for (const double decay : {0.0, 0.1}) {
            for (const int accumulate : {1, 3}) {
                TrainingOptions options{Loss::cross_entropy, 0.05, momentum, decay,
                                        accumulate,          true};
                const TrainingStep step = training_step(small_network(5, 2), options);
                Random random(7);
                Numbers numbers = begun(step);
                Numbers velocity, sums;
                CAPTURE(momentum, decay, accumulate);
                for (int run = 0; run < 2 * accumulate; ++run) {
                    draw_data(step, random, numbers);
                    const std::vector<Reals> values =
                        reference_values(step.graph, in_order(step.graph, numbers), true);
                    Numbers next = numbers;
                    carry_on(step.graph, run, values, next);
                    for (const auto& [weight, gradient] : step.gradients) {
                        const std::vector<double>& g =
                            values[static_cast<std::size_t>(gradient)].values;
                        std::vector<double>& v = velocity[weight];
                        std::vector<double>& sum = sums[weight];
                        v.resize(g.size());
                        sum.resize(g.size());
                        for (std::size_t i = 0; i < g.size(); ++i) {
                            sum[i] += g[i]; // already divided by the runs of a step
                            double wanted = numbers[weight][i];
                            if ((run + 1) % accumulate == 0) {
                                v[i] = momentum * v[i] + sum[i] + decay * wanted;
                                wanted -= 0.05 * v[i];
                                sum[i] = 0;
                            }
                            CHECK(next[weight][i] == Approx(wanted).margin(1e-12));
                        }
                    }
                    numbers = std::move(next);
                }
            }
        }
    }
}

TEST_CASE("Steps that add gradients up are planned, also of layers with one channel")
{
    for (std::uint64_t seed = 1; seed <= 24; ++seed) { // 8, 20 and 22 have such a layer
        CAPTURE(seed);
        const TrainingStep step =
            training_step(small_network(seed, 2), {.loss = Loss::cross_entropy, .accumulate = 2});
        CHECK_NOTHROW(starting_plan(step.graph));
    }
}

TEST_CASE("Runs of training on a device leave what the reference does", "[opencl]")
{
    const devices::OpenClDevice device("pocl");
    const int seeds = texelscope::test::random_cases(3, 12);
    for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(seeds); ++seed) {
        Random random(seed);
        const int accumulate = seed % 2 == 0 ? 2 : 1;
        const TrainingOptions options{
            Loss::cross_entropy,          0.05,       random.one_in(3) ? 0.0 : 0.9,
            random.one_in(2) ? 0.0 : 0.1, accumulate, false};
        const TrainingStep step = training_step(small_network(seed, 2), options);
        Plan plan = starting_plan(step.graph);
        // some change in place, others have a second memory
        for (const Carried& each : plan.graph.carried) {
            if (random.one_in(2)) {
                layout_of(plan, each.next)->memory = codegen::Memory::buffer;
            }
        }
        for (PlannedKernel& each : plan.kernels) {
            each.schedule = noting(each.schedule, given_layouts(plan, each.kernel));
        }
        lower(plan);
        if (seed % 3 != 1) { // values of an arena are made in place of others
            plan = in_arena(std::move(plan), {});
        }
        constexpr int runs = 4;
        Numbers numbers = begun(step);
        NetworkRunOptions how;
        how.samples = runs;
        how.fetch = {step.loss};
        TensorNumbers given;
        for (const auto& [id, first] : step.first) {
            given[id] = first;
            how.keep.push_back(id);
        }
        std::vector<double> losses;
        for (int run = 0; run < runs; ++run) {
            draw_data(step, random, numbers);
            for (const auto& [id, drawn_numbers] : numbers) {
                if (!step.first.contains(id)) {
                    how.feeds[id].emplace_back(drawn_numbers.begin(), drawn_numbers.end());
                    given[id] = how.feeds[id].back();
                }
            }
            const std::vector<Reals> values =
                reference_values(step.graph, in_order(step.graph, numbers), true);
            losses.push_back(values[static_cast<std::size_t>(step.loss)].values.front());
            carry_on(step.graph, run, values, numbers);
        }
        const devices::JobResult result =
            device.run(network_job(plan, given, device.best_backend(), device.info(), how));
        REQUIRE(result.status == devices::RunStatus::ok);
        const auto fetched = fetched_values(plan, how, result).at(step.loss);
        const TensorNumbers found = kept_values(plan, how, result);
        CAPTURE(seed, accumulate, options.momentum, options.weight_decay);
        for (int run = 0; run < runs; ++run) {
            CHECK(fetched[static_cast<std::size_t>(run)].front() ==
                  Approx(losses[static_cast<std::size_t>(run)]).epsilon(1e-4));
        }
        const MemoryPlan memory = memory_plan(plan);
        for (const auto& [id, first] : step.first) {
            CAPTURE(step.graph.value(id).name, memory.twin[static_cast<std::size_t>(id)]);
            const std::vector<double>& wanted = numbers.at(id);
            double error = 0;
            for (std::size_t i = 0; i < wanted.size(); ++i) {
                error = std::max(error, std::abs(static_cast<double>(found.at(id)[i]) - wanted[i]));
            }
            CHECK(error <= 1e-4 * largest(wanted) + 1e-7);
        }
    }
}

TEST_CASE("Weights are what a network learns, not what it pads with, masks by or scales by")
{
    const auto names = [](const Graph& network, const std::vector<std::string>& frozen) {
        TrainingOptions options;
        options.loss = Loss::mean_squared_error;
        options.frozen = frozen;
        const TrainingStep step = training_step(simplified(network, false), options);
        std::set<std::string> found;
        for (const ValueId weight : step.weights) {
            found.insert(step.graph.value(weight).name);
        }
        return found;
    };
    Builder net("padded", 1);
    Attributes around;
    around.set("pads", std::vector<std::int64_t>{0, 0, 1, 1, 0, 0, 1, 1});
    around.set("constant_value", 0.5);
    ValueId x = net.node("Pad", {net.input("x", {2, 3, 6, 6})}, around);
    x = net.conv(x, {4, {3, 3}});
    x = net.node("InstanceNormalization",
                 {x, net.constant("g", {4}, {1, 2, 3, 4}), net.constant("b", {4}, {0, 0, 0, 0})});
    x = net.node("Add", {x, net.constant("mask", {6}, {0, 0, 0, 0, 0, -9})});
    x = net.node("Mul", {x, net.constant("scale", {1}, {0.5F})});
    x = net.node("PRelu", {x, net.constant("slope", {1}, {0.25F})});
    const Graph graph = std::move(net).finish(x);
    std::string mask, scale;
    std::set<std::string> all;
    for (const auto& [id, numbers] : graph.constants) {
        all.insert(graph.value(id).name);
        scale = numbers == std::vector<float>{0.5F} ? graph.value(id).name : scale;
        mask = numbers.size() == 6 ? graph.value(id).name : mask;
    }
    REQUIRE(all.size() == 6);
    std::set<std::string> expected = all;
    expected.erase(scale);
    CHECK(names(graph, {}) == expected); // a mask may be a bias: nobody can tell
    expected.erase(mask);
    CHECK(names(graph, {mask}) == expected);
}

TEST_CASE("What cannot be trained is said")
{
    const auto complaint = [](const Graph& network) {
        try {
            (void)training_step(network, {});
        } catch (const Error& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    Builder net("one number", 1);
    const Graph one = std::move(net).finish(net.batch_norm(net.input("x", {1, 3, 1, 1})));
    CHECK_THAT(complaint(one), Catch::Contains("one number of a channel has no variance"));
    Builder other("no weights", 1);
    const Graph none = std::move(other).finish(other.node("Relu", {other.input("x", {2, 3})}));
    CHECK_THAT(complaint(none), Catch::Contains("has no weights to train"));
    Builder steps("no slope", 1);
    const Graph flat =
        std::move(steps).finish(steps.node("Sign", {steps.gemm(steps.input("x", {2, 3}), 4)}));
    CHECK_THAT(complaint(flat), Catch::Contains("the loss depends on no weight"));
    Builder whole("whole", 1);
    Attributes all;
    all.set("keepdims", std::int64_t{0});
    const Graph sum = std::move(whole).finish(
        whole.node("ReduceSum", {whole.gemm(whole.input("x", {2, 3}), 4)}, all));
    CHECK_THAT(complaint(sum), Catch::Contains("single number"));
    CHECK_THROWS_AS(loss_named("hinge"), Error);
}
