// A network in one buffer, by the model and on a simulated device.

#include "codegen/nest/loop_nest.hpp"
#include "networks/models/builder.hpp"
#include "networks/passes/simplify.hpp"
#include "networks/plan/memory_plan.hpp"
#include "workbench/network_studies/arena_search.hpp"
#include "workbench/network_studies/network_prediction.hpp"
#include "workbench/network_studies/network_simulation.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <utility>

using namespace texelscope;
using namespace texelscope::workbench::network_studies;

namespace {

/// Convolutions that leave and find gaps of other shapes in the same memory.
networks::Graph small_network()
{
    networks::Builder net("small", 1);
    networks::ValueId x = net.input("image", {1, 3, 10, 10});
    for (const std::int64_t channels : {8, 20, 5}) {
        x = net.node("Relu", {net.conv(x, {channels, {3, 3}, channels == 20 ? 2 : 1, {1, 1}})});
    }
    return networks::simplified(std::move(net).finish(net.node("GlobalAveragePool", {x})));
}

} // namespace

TEST_CASE(
    "In an arena a plan takes less, its times are those of its kernels, and clearing is among them")
{
    const DeviceProfile device = find_profile("mali-g77");
    networks::ArenaRules rules;
    rules.row_multiple = 4;
    rules.widest = rules.highest = 16384;
    const NetworkSearchOptions options{.parts = "T"};
    PredictedPlan planned = best_plan(small_network(), device, options);
    use_arena(planned, rules, device, options);
    const networks::Plan& plan = planned.plan;
    const networks::MemoryPlan memory = networks::memory_plan(plan);
    CHECK(memory.slot_sizes.size() == 1);
    const auto predicted = predict_network(plan, device);
    const auto simulated = simulate_network(plan, device, 0);
    int cleared = 0;
    for (std::size_t k = 0; k < plan.kernels.size(); ++k) {
        CAPTURE(k);
        CHECK(predicted[k].time()->value == Approx(planned.predicted[k].value));
        const auto clearing = std::ranges::find(predicted[k].parts, "clearing", &TimePart::name);
        REQUIRE((clearing != predicted[k].parts.end()) == memory.clears_before(plan, k));
        REQUIRE(simulated[k].time);
        if (memory.clears_before(plan, k)) {
            ++cleared;
            const auto& timing = device.simulation.machine.timing;
            const double cycles =
                static_cast<double>(networks::stored_size(plan.kernels[k].nest.output)) /
                device.simulation.machine.l2().bytes_per_cycle;
            CHECK(clearing->time.value ==
                  Approx(cycles * 1000 / timing.clock_mhz + timing.launch_ns));
            CHECK(simulated[k].time->value > clearing->time.value);
        }
    }
    CHECK(cleared > 0);
}

TEST_CASE("A simulated device reads an image of an arena row by row, whatever its storage layout")
{
    DeviceProfile device = find_profile("mali-g77");
    networks::ArenaRules rules;
    rules.row_multiple = 1;
    rules.widest = rules.highest = 16384;
    PredictedPlan planned = best_plan(small_network(), device, {.parts = "T"});
    use_arena(planned, rules, device, {.parts = "T"});
    // Only what lies in images with the device's layout changes with it: weights and the input,
    // here none.
    for (networks::PlannedKernel& each : planned.plan.kernels) {
        for (std::size_t i = 0; i < each.nest.inputs.size(); ++i) {
            each.nest.inputs[i].image.row_multiple =
                std::max(each.nest.inputs[i].image.row_multiple, 1);
        }
    }
    const auto in_blocks = count_network(planned.plan, device);
    device.simulation.machine.layout = sim::LayoutSpec{};
    const auto in_rows = count_network(planned.plan, device);
    for (std::size_t k = 0; k < in_rows.size(); ++k) {
        CHECK(in_blocks[k].l1 == in_rows[k].l1);
        CHECK(in_blocks[k].l2 == in_rows[k].l2);
        CHECK(in_rows[k].l1.lookups > 0);
    }
}
