#include "codegen/nest/kernel_launch.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "codegen/text/kernel_source.hpp"
#include "devices/launch/buffer_reads.hpp"
#include "devices/launch/launch_options.hpp"
#include "networks/models/builder.hpp"
#include "networks/models/models.hpp"
#include "networks/training/training_step.hpp"
#include "sim/sampled_time.hpp"
#include "tests/base/temporary_folder.hpp"
#include "tests/workbench/network_studies/built_in_network.hpp"
#include "workbench/network_studies/kernel_search.hpp"
#include "workbench/network_studies/loop_choices.hpp"
#include "workbench/network_studies/network_search.hpp"
#include "workbench/network_studies/network_simulation.hpp"
#include "workbench/network_studies/network_tuning.hpp"
#include "workbench/study/prediction.hpp"
#include "workbench/study/study.hpp"
#include "workbench/tuning/bottleneck_price.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <functional>
#include <limits>
#include <set>

using namespace texelscope;
using namespace texelscope::workbench::network_studies;

namespace {

PredictedPlan searched(const std::string& name, const DeviceProfile& device, std::size_t candidates)
{
    NetworkSearchOptions options;
    options.candidates = candidates;
    return best_plan(test::built_in_network(name), device, options);
}

/// Of a kernel in layouts, from nothing that the search knows.
double priced_anew(const networks::NodeKernel& kernel, const KernelPoint& point,
                   const DeviceProfile& device)
{
    Operator op = kernel.op;
    op.lower = [&](const Schedule& schedule, const codegen::GivenLayouts&) {
        return kernel.op.lower(schedule, point.layouts);
    };
    const auto price = bottleneck_price(op, device, point.schedule);
    return price ? price->value : no_cost;
}

} // namespace

TEST_CASE("Loops are searched in every order that differs, with none or the innermost written out")
{
    const networks::Graph graph = test::built_in_network("fsrcnn");
    const networks::Plan plan = networks::starting_plan(graph);
    // 5x5 taps of one channel
    const codegen::Contraction& contraction = *plan.kernels[0].kernel.contraction;
    std::set<std::string> loops;
    for (const int slot : contraction.reductions) {
        if (contraction.dim(slot).extent() > 1) {
            loops.insert(contraction.dim(slot).name);
        }
    }
    REQUIRE(loops.size() == 2);
    // Two loops of five: two orders with none written out; either alone; both are 25, at most 32.
    const std::vector<LoopChoice> all = loop_choices(contraction, true, true);
    CHECK(all.size() == 5);
    for (const LoopChoice& choice : all) {
        CHECK(std::ranges::count(all, choice) == 1);
        Schedule schedule = plan.kernels[0].schedule;
        choice.put_into(schedule);
        CHECK(is_legal(plan.kernels[0].kernel.op, schedule));
    }
    CHECK(loop_choices(contraction, false, false).size() == 1);
    CHECK(loop_choices(contraction, true, false).size() == 2);
}

TEST_CASE("Candidates are priced as they are")
{
    for (const char* name : {"mlp-784-256-128-16"}) {
        const DeviceProfile device = find_profile("mali-g77");
        const PredictedPlan planned = searched(name, device, 12);
        REQUIRE(planned.candidates.size() == planned.plan.kernels.size());
        for (std::size_t k = 0; k < planned.candidates.size(); ++k) {
            const networks::NodeKernel& kernel = planned.plan.kernels[k].kernel;
            const auto layouts = networks::open_layouts(planned.plan, kernel);
            REQUIRE(planned.candidates[k].size() > 3);
            for (const PricedKernel& each : planned.candidates[k]) {
                CAPTURE(name, k, to_string(each.point.schedule));
                // but for where it writes
                CHECK(each.ns == Approx(priced_anew(kernel, each.point, device)).epsilon(0.005));
                CHECK(each.point.layouts.back() == layouts.back());
                for (std::size_t i = 0; i < kernel.inputs.size(); ++i) {
                    CHECK((each.point.layouts[i] == layouts[i] ||
                           networks::is_made(planned.plan, kernel.inputs[i])));
                }
            }
        }
    }
}

TEST_CASE("Tuning takes what the timer finds fastest, and the plan's layouts follow")
{
    const DeviceProfile device = find_profile("adreno-750");
    const PredictedPlan before = searched("fsrcnn", device, 12);
    // Fewer work-items are faster, to this timer; it cannot run buffers that kernels read.
    const auto time = [](const LoopNest& nest, const std::vector<bool>&) -> std::optional<double> {
        if (std::ranges::any_of(
                nest.inputs, [](const Operand& input) { return input.memory == Memory::buffer; })) {
            return std::nullopt;
        }
        const Dim3 items = global_size(nest);
        return static_cast<double>(items[0]) * items[1] * items[2];
    };
    PredictedPlan after = before;
    const std::vector<TunedKernel> tuned = tune_plan(after, device, {time, {}});
    bool moved = false;
    for (std::size_t k = 0; k < tuned.size(); ++k) {
        const networks::PlannedKernel& planned = before.plan.kernels[k];
        double least = std::numeric_limits<double>::max();
        int runs = 0;
        std::vector<PricedKernel> all{
            {{planned.schedule, networks::open_layouts(before.plan, planned.kernel)},
             before.predicted[k].value}};
        all.insert(all.end(), before.candidates[k].begin(), before.candidates[k].end());
        for (const PricedKernel& each : all) {
            if (const auto ns =
                    time(planned.kernel.op.nest(each.point.schedule, each.point.layouts), {})) {
                least = std::min(least, *ns);
                ++runs;
            }
        }
        CHECK(tuned[k].timed == runs);
        CHECK(tuned[k].failed == static_cast<int>(all.size()) - runs);
        CHECK(tuned[k].best_ns == least);
        CHECK(*time(after.plan.kernels[k].nest, {}) == least);
        CHECK(after.predicted[k].value >= before.predicted[k].value);
        moved = moved || after.plan.kernels[k].schedule != planned.schedule;
    }
    CHECK(moved);
    CHECK_THROWS_WITH(
        tune_plan(after, device,
                  {[](const LoopNest&, const std::vector<bool>&) { return std::nullopt; }, {}}),
        Catch::Matchers::Contains("no schedule of the kernel runs"));
}

TEST_CASE(
    "What was timed is in the store: tuning that was interrupted goes on, and ends as without")
{
    const DeviceProfile device = find_profile("adreno-750");
    const PredictedPlan before = searched("fsrcnn", device, 4);
    int timed = 0;
    int most = std::numeric_limits<int>::max();
    KernelTimer timer;
    timer.key.device = "a device";
    timer.time = [&](const LoopNest& nest, const std::vector<bool>& made) -> std::optional<double> {
        if (timed == most) {
            throw Interrupted();
        }
        ++timed;
        const Dim3 items = global_size(nest);
        const bool runs = nest.inputs.front().memory == Memory::image;
        return runs ? std::optional(1.0 * items[0] * items[1] * items[2] + (made[0] ? 0.5 : 0))
                    : std::nullopt;
    };
    PredictedPlan without = before;
    (void)tune_plan(without, device, timer);
    const int all = timed;
    REQUIRE(all > 10);
    const test::TemporaryFolder folder;
    timed = 0;
    for (int round = 0; round < 3; ++round) {
        CAPTURE(round);
        most = round == 0 ? all / 2 : all;
        ResultStore store(folder.file("times.db"));
        PredictedPlan after = before;
        const auto tune = [&] {
            return tune_plan(after, device, remembering(timer, store, "1.0"));
        };
        if (round == 0) {
            CHECK_THROWS_AS(tune(), Interrupted);
            CHECK(store.count() == all / 2);
            continue;
        }
        (void)tune();
        CHECK(timed == all); // in the third round nothing
        CHECK(store.count() == all);
        for (std::size_t k = 0; k < after.plan.kernels.size(); ++k) {
            CHECK(after.plan.kernels[k].schedule == without.plan.kernels[k].schedule);
        }
    }
    // Another device's times are others.
    timer.key.device = "another";
    most = 2 * all;
    ResultStore store(folder.file("times.db"));
    PredictedPlan after = before;
    (void)tune_plan(after, device, remembering(timer, store, "1.0"));
    CHECK(timed == 2 * all);
}

TEST_CASE("Tuning a step of training, weights are not in L2: nobody has made them just before")
{
    const networks::Graph network = networks::find_model("mlp-16-16")->make(1, 3);
    const networks::TrainingStep step = networks::training_step(network, {});
    PredictedPlan plan = best_plan(step.graph, find_profile("adreno-750"), {.parts = "T"});
    std::vector<std::vector<bool>> made; // of the plan's own schedules, none of which are alike
    const auto time = [&](const LoopNest&, const std::vector<bool>& of_inputs) {
        made.push_back(of_inputs);
        return std::optional(1.0);
    };
    (void)tune_plan(plan, find_profile("adreno-750"), {time, {}});
    const std::vector<networks::ValueId>& product = plan.plan.kernels[0].kernel.inputs;
    REQUIRE(product.size() == 3); // numbers, weights, what is added
    CHECK(product[0] == step.graph.inputs[0]);
    CHECK(made[0] == std::vector<bool>{true, false, false});
    CHECK(std::ranges::any_of(made, [](const auto& of_inputs) {
        return of_inputs.size() > 1 && std::ranges::count(of_inputs, false) == 0;
    }));
}

TEST_CASE("A value that two kernels read lies as is fastest for both together")
{
    networks::Graph graph;
    graph.name = "fork";
    const auto value = [&](const char* name, std::int64_t channels) {
        return graph.add_value(name, {1, channels, 12, 12});
    };
    const auto convolve = [&](const char* name, networks::ValueId from, networks::ValueId to,
                              std::int64_t taps) {
        const networks::Shape shape{graph.value(to).shape[1], graph.value(from).shape[1], taps,
                                    taps};
        const auto count = static_cast<std::size_t>(networks::element_count(shape));
        const auto weights =
            graph.add_constant(std::string(name) + ".w", shape, std::vector<float>(count, 0.25F));
        graph.nodes.push_back({name, "Conv", {from, weights}, {to}, {}});
        graph.nodes.back().attributes.set("pads", std::vector<std::int64_t>(4, taps / 2));
    };
    const auto x = value("x", 8), y = value("y", 16), left = value("left", 12),
               right = value("right", 24);
    graph.inputs = {x};
    graph.outputs = {left, right};
    convolve("first", x, y, 3);
    convolve("left", y, left, 3);
    convolve("right", y, right, 1);
    NetworkSearchOptions options;
    options.candidates = 16;
    const DeviceProfile device = find_profile("adreno-750");
    const PredictedPlan before = best_plan(graph, device, options);
    for (const std::size_t salt : {1U, 2U, 3U, 4U, 5U}) {
        // Times that mean nothing, of each text its own.
        const auto time = [&](const LoopNest& nest, const std::vector<bool>&) {
            const std::string text = opencl_text(nest, codegen::TexelBackend::native);
            return std::optional(
                static_cast<double>(std::hash<std::string>()(text) * salt % 10007));
        };
        PredictedPlan after = before;
        const auto tuned = tune_plan(after, device, {time, {}});
        const auto least_in = [&](std::size_t k, const codegen::TensorLayout& layout) {
            double least = no_cost;
            for (const PricedKernel& each : after.candidates[k]) {
                const auto nest =
                    after.plan.kernels[k].kernel.op.nest(each.point.schedule, each.point.layouts);
                least = *each.point.layouts[0] == layout ? std::min(least, *time(nest, {})) : least;
            }
            return least;
        };
        double least = no_cost;
        for (const PricedKernel& each : after.candidates[1]) {
            const codegen::TensorLayout& layout = *each.point.layouts[0];
            least = std::min(least, least_in(1, layout) + least_in(2, layout));
        }
        const auto layout = *networks::open_layouts(after.plan, after.plan.kernels[1].kernel)[0];
        CHECK(layout == *networks::open_layouts(after.plan, after.plan.kernels[2].kernel)[0]);
        CHECK(least_in(1, layout) + least_in(2, layout) == least);
        CHECK(tuned[1].best_ns + tuned[2].best_ns <= least);
    }
}

TEST_CASE("A value is copied into another layout where its readers save more than the copy takes")
{
    // As many convolutions of single taps as depthwise ones read a value: they would have it in
    // different layouts.
    const auto fork = [](int of_each, std::int64_t side) {
        networks::Builder net("fork", 1);
        const networks::ValueId x = net.conv(net.input("x", {1, 64, side, side}), {.outputs = 64});
        std::vector<networks::ValueId> parts;
        for (int i = 0; i < of_each; ++i) {
            parts.push_back(net.conv(x, {.outputs = 64}));
            parts.push_back(
                net.conv(x, {.outputs = 64, .kernel = {3, 3}, .pad = {1, 1}, .groups = 64}));
        }
        networks::Attributes along;
        along.set("axis", std::int64_t{1});
        return networks::simplified(std::move(net).finish(net.node("Concat", parts, along)));
    };
    const DeviceProfile device = find_profile("adreno-750");
    const auto copies = [](const PredictedPlan& found) {
        return std::ranges::count(found.plan.kernels, true, &networks::PlannedKernel::conversion);
    };
    // One reader of each: of a small value they save less than a copy of it takes.
    CHECK(copies(best_plan(fork(1, 7), device)) == 0);
    const PredictedPlan found = best_plan(fork(6, 56), device);
    REQUIRE(copies(found) == 1);
    const auto conversion =
        std::ranges::find(found.plan.kernels, true, &networks::PlannedKernel::conversion);
    const networks::ValueId value = conversion->kernel.inputs[0], copy = conversion->kernel.output;
    double saved =
        -found.predicted[static_cast<std::size_t>(conversion - found.plan.kernels.begin())].value;
    for (std::size_t k = 0; k < found.plan.kernels.size(); ++k) {
        const networks::PlannedKernel& planned = found.plan.kernels[k];
        KernelPoint point{planned.schedule, networks::open_layouts(found.plan, planned.kernel)};
        if (planned.kernel.inputs[0] == copy) {
            point.layouts[0] = found.plan.layouts[static_cast<std::size_t>(value)];
            point.layouts[0]->asked.clear();
            saved += priced_anew(planned.kernel, point, device) - found.predicted[k].value;
        }
    }
    CHECK(saved > 0);
}

TEST_CASE(
    "A kernel alone takes as long as its launch, and less where its input was made just before")
{
    const DeviceProfile device = find_profile("adreno-750");
    const networks::Plan plan = searched("mlp-784-256-128-16", device, 0).plan;
    const LoopNest& nest = plan.kernels[0].nest;
    const LoopNest rows = buffers_as_rows(nest);
    const std::int64_t all = std::numeric_limits<std::int64_t>::max();
    const auto cold =
        simulated_alone(nest, std::vector<bool>(nest.inputs.size(), false), device, 0);
    REQUIRE(cold.time);
    CHECK(cold.time->value ==
          Approx(sim::sampled_time(launch_of(rows), options_for(rows, device), all).time.value));
    const auto warm = simulated_alone(nest, std::vector<bool>(nest.inputs.size(), true), device, 0);
    REQUIRE(warm.time);
    CHECK(warm.time->value < cold.time->value);
    DeviceProfile none = device;
    none.simulation.machine.l1().geometry.capacity = Bytes{0};
    CHECK_FALSE(simulated_alone(nest, std::vector<bool>(nest.inputs.size(), true), none, 0)
                    .why_not.empty());
}

TEST_CASE("A sample of a weight's gradient with a momentum takes about as long as the whole, and "
          "never less than nothing")
{
    networks::Builder builder("gradient", 1);
    const networks::ValueId x = builder.input("x", {197, 768});
    const networks::ValueId given = builder.input("gradient", {197, 3072});
    const networks::ValueId momentum = builder.input("momentum", {768, 3072});
    networks::Attributes transposed;
    transposed.set("transA", std::int64_t{1});
    const networks::ValueId product = builder.node("Gemm", {x, given}, transposed);
    networks::Plan plan = networks::starting_plan(
        std::move(builder).finish(builder.node("AddScaled", {momentum, product})));
    REQUIRE(plan.kernels.size() == 1);
    const DeviceProfile device = find_profile("mali-g77");
    for (const char* schedule :
         {"A=row,row,row;T=8x4;W=4x32;G=4x32x1", "A=row,row,row;T=8x4;W=1x32;G=1x32x1"}) {
        plan.kernels[0].schedule = parse_schedule(schedule);
        networks::lower(plan);
        const LoopNest& nest = plan.kernels[0].nest;
        std::vector<bool> made;
        for (const networks::ValueId input : plan.kernels[0].kernel.inputs) {
            made.push_back(input != momentum);
        }
        const auto whole = simulated_alone(nest, made, device, 0);
        const auto sample = simulated_alone(nest, made, device, 8'000);
        REQUIRE(whole.time);
        REQUIRE(sample.time);
        CAPTURE(schedule, sample.simulated_share, sample.time->value, whole.time->value);
        CHECK(sample.simulated_share < 0.2);
        CHECK(sample.time->value == Approx(whole.time->value).epsilon(0.3));
    }
}
