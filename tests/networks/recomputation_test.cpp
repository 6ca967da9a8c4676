// Blocks of the forward pass that are computed again: the same numbers, in less memory.

#include "networks/models/builder.hpp"
#include "networks/models/models.hpp"
#include "networks/operators/node_operator.hpp"
#include "networks/passes/simplify.hpp"
#include "networks/plan/arena_plan.hpp"
#include "networks/plan/carried.hpp"
#include "networks/plan/memory_plan.hpp"
#include "networks/training/recomputation.hpp"
#include "tests/base/random.hpp"
#include "tests/random_cases.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <set>

using namespace texelscope;
using namespace texelscope::networks;
using texelscope::test::Random;

namespace {

/// Blocks of two normalised convolutions and a residual, some of which halve their maps.
Graph deep_network(std::uint64_t seed, std::int64_t batch)
{
    Random random(seed);
    Builder net("deep", seed);
    const std::int64_t width = 4 * random.between(1, 2);
    ValueId x = net.conv_norm(net.input("x", {batch, 3, 16, 16}), {width, {3, 3}, 1, {1, 1}});
    for (int block = 0; block < 4; ++block) {
        const ValueId y =
            net.conv_norm(net.conv_norm(x, {width, {3, 3}, 1, {1, 1}}), {width, {1, 1}}, "");
        x = net.node("Relu", {net.node("Add", {x, y})});
        x = random.one_in(3) ? net.pool(x, "MaxPool", 2, 2) : x;
    }
    return std::move(net).finish(net.gemm(net.node("Flatten", {x}), 5));
}

/// A number for every element of every input.
std::vector<Reals> drawn_inputs(const TrainingStep& step)
{
    std::vector<Reals> inputs;
    Random random(9);
    for (const ValueId id : step.graph.inputs) {
        Reals input{step.graph.value(id).shape, {}};
        const auto first = step.first.find(id);
        for (std::int64_t i = 0; i < element_count(input.shape); ++i) {
            input.values.push_back(
                first == step.first.end()
                    ? static_cast<double>(random.between(-1000, 1000)) / 1000
                    : static_cast<double>(first->second[static_cast<std::size_t>(i)]));
        }
        inputs.push_back(std::move(input));
    }
    return inputs;
}

} // namespace

TEST_CASE("What is computed again changes no number")
{
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        Random random(seed);
        const TrainingStep step = training_step(deep_network(seed, 2), {});
        const std::vector<Block> blocks = blocks_of(step);
        REQUIRE(blocks.size() >= 4);
        std::vector<Block> chosen;
        std::ranges::copy_if(blocks, std::back_inserter(chosen),
                             [&](const Block&) { return random.one_in(2); });
        const TrainingStep other = with_recomputation(step, chosen);
        check_graph(other.graph);
        CHECK(other.passes.size() == other.graph.nodes.size());
        CHECK((std::ranges::count(other.passes, networks::Pass::recomputation) > 0) ==
              !chosen.empty());
        const std::vector<Reals> inputs = drawn_inputs(step);
        const std::vector<Reals> wanted = reference_values(step.graph, inputs, true);
        const std::vector<Reals> found = reference_values(other.graph, inputs, true);
        CHECK(found[static_cast<std::size_t>(step.loss)].values ==
              wanted[static_cast<std::size_t>(step.loss)].values);
        for (const Carried& each : step.graph.carried) {
            const auto next = static_cast<std::size_t>(each.next);
            CAPTURE(seed, step.graph.value(each.next).name);
            CHECK(found[next].values == wanted[next].values);
        }
    }
}

TEST_CASE("Blocks computed again need less memory, as few as are asked for")
{
    const TrainingStep step = training_step(deep_network(2, 8), {});
    const std::int64_t all = needed_at_once(step.graph);
    const std::int64_t least = needed_at_once(with_recomputation(step, blocks_of(step)).graph);
    CHECK(least < all * 3 / 4);
    CHECK(blocks_within(step, all).empty());
    for (const double part : {0.9, 0.5, 0.1}) {
        const auto bytes =
            least + static_cast<std::int64_t>(part * static_cast<double>(all - least));
        const std::vector<Block> blocks = blocks_within(step, bytes);
        CHECK(needed_at_once(with_recomputation(step, blocks).graph) <= bytes);
        for (std::size_t i = 0; i < blocks.size(); ++i) { // none of them is there for nothing
            std::vector<Block> fewer = blocks;
            fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
            CHECK(needed_at_once(with_recomputation(step, fewer).graph) > bytes);
        }
    }
}

TEST_CASE("A chain has blocks of as many nodes as there are blocks")
{
    Builder net("chain", 3);
    ValueId x = net.input("x", {4, 8, 16, 16});
    for (int layer = 0; layer < 8; ++layer) {
        x = net.node("Tanh", {net.conv(x, {.outputs = 8, .kernel = {3, 3}, .pad = {1, 1}})});
    }
    TrainingOptions options;
    options.loss = Loss::mean_squared_error;
    const TrainingStep step = training_step(std::move(net).finish(x), options);
    const std::vector<Block> blocks = blocks_of(step);
    REQUIRE(blocks.size() >= 3);
    for (const Block& block : blocks) {
        // of 16 nodes and the loss
        CHECK((block.end - block.first == 4 || &block == &blocks.back()));
        CHECK(block.operations > 0);
    }
    const TrainingStep other = with_recomputation(step, blocks);
    CHECK(needed_at_once(other.graph) < needed_at_once(step.graph) * 3 / 4);
    const std::vector<Reals> inputs = drawn_inputs(step);
    const std::vector<Reals> wanted = reference_values(step.graph, inputs, true);
    const std::vector<Reals> found = reference_values(other.graph, inputs, true);
    for (const Carried& each : step.graph.carried) {
        CHECK(found[static_cast<std::size_t>(each.next)].values ==
              wanted[static_cast<std::size_t>(each.next)].values);
    }
}

TEST_CASE("A training step in one buffer takes little more than it needs at once")
{
    ArenaRules rules;
    rules.row_multiple = 64;
    rules.widest = rules.highest = 16384;
    for (const char* name : {"fsrcnn", "resnet-18"}) {
        TrainingOptions options;
        options.momentum = 0.9;
        options.loss = Loss::mean_squared_error;
        const TrainingStep step =
            training_step(simplified(find_model(name)->make(1, 1), false), options);
        const Plan plan = in_arena(starting_plan(step.graph), rules);
        const MemoryPlan memory = memory_plan(plan);
        CAPTURE(name, memory.slot_bytes(), memory.alive_bytes);
        CHECK(memory.slot_bytes() <= memory.alive_bytes * 11 / 10);
        CHECK(std::ranges::count(memory.twin, true) == 0); // weights are replaced where they lie
    }
}

TEST_CASE("A value that is carried is read by all before another takes its place")
{
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        TrainingOptions options;
        options.momentum = seed % 2 == 0 ? 0.9 : 0;
        options.accumulate = seed % 3 == 0 ? 4 : 1;
        const TrainingStep step = training_step(deep_network(seed, 1), options);
        const Plan plan = with_copies_back(starting_plan(step.graph));
        std::set<ValueId> replaced;
        for (const PlannedKernel& each : plan.kernels) {
            for (const ValueId input : each.kernel.inputs) {
                CAPTURE(seed, each.kernel.op.name);
                CHECK_FALSE(replaced.contains(input));
            }
            const auto carried =
                std::ranges::find(plan.graph.carried, each.kernel.output, &Carried::next);
            if (carried != plan.graph.carried.end()) {
                replaced.insert(carried->input);
            }
        }
        CHECK(replaced.size() == plan.graph.carried.size());
    }
}
