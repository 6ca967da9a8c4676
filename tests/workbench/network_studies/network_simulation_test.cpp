// A network on a simulated device: what kernels find in L2.

#include "codegen/nest/loop_nest.hpp"
#include "devices/launch/buffer_reads.hpp"
#include "networks/models/models.hpp"
#include "networks/passes/simplify.hpp"
#include "networks/plan/carried.hpp"
#include "networks/training/training_step.hpp"
#include "sim/memory/image_storage.hpp"
#include "workbench/network_studies/network_search.hpp"
#include "workbench/network_studies/network_simulation.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

using namespace texelscope;
using namespace texelscope::workbench::network_studies;

namespace {

/// Texels that hold an element.
std::vector<bool> stored_texels(const Operand& operand)
{
    const std::vector<float> ones(static_cast<std::size_t>(operand.tensor.size()), 1.0F);
    const std::vector<float> packed = codegen::pack(operand, ones);
    std::vector<bool> stored;
    for (std::size_t i = 0; i < packed.size(); i += 4) {
        stored.push_back(packed[i] + packed[i + 1] + packed[i + 2] + packed[i + 3] > 0);
    }
    return stored;
}

/// Granules of L2 that hold elements of an operand, by its own addresses; operands lie at pages, so
/// that they share none.
std::set<std::int64_t> granules_stored(const Operand& operand, const SimulationOptions& options)
{
    const std::vector<bool> stored = stored_texels(operand);
    Image rows = operand.image;
    rows.buffer = operand.memory == Memory::buffer;
    const sim::StoredImage image = sim::store_images({&rows, 1}, options).front();
    std::set<std::int64_t> granules;
    for (std::int32_t i = 0; i < image.extent.area(); ++i) {
        if (stored[static_cast<std::size_t>(i)]) {
            granules.insert(image.address({i % image.extent.width, i / image.extent.width}) /
                            options.machine.l2().geometry.granule().value);
        }
    }
    return granules;
}

/// Those that a kernel reads of an input.
std::set<std::int64_t> granules_read(const LoopNest& rows, std::size_t input,
                                     const SimulationOptions& options)
{
    const Launch launch = launch_of(rows);
    const sim::StoredImage image =
        sim::store_images({&rows.inputs[input].image, 1}, options).front();
    std::set<std::int64_t> granules;
    for (std::int32_t g = 0; g < launch.group_count(); ++g) {
        for (std::int32_t item = 0; item < launch.group_size(); ++item) {
            const traces::Dim3 group{g % launch.groups[0], g / launch.groups[0] % launch.groups[1],
                                     g / (launch.groups[0] * launch.groups[1])};
            const traces::Dim3 local{item % launch.local[0],
                                     item / launch.local[0] % launch.local[1],
                                     item / (launch.local[0] * launch.local[1])};
            for (const traces::ItemRead& read : item_reads(launch, group, local)) {
                if (static_cast<std::size_t>(read.image) == input &&
                    image.extent.contains(read.texel)) {
                    granules.insert(image.address(read.texel) /
                                    options.machine.l2().geometry.granule().value);
                }
            }
        }
    }
    return granules;
}

/// How many a kernel reads of an input. `made`: but for those that hold elements, which a kernel
/// before it has written.
std::size_t granules_fetched(const LoopNest& rows, std::size_t input,
                             const SimulationOptions& options, bool made)
{
    std::set<std::int64_t> granules = granules_read(rows, input, options);
    if (made) {
        for (const std::int64_t written : granules_stored(rows.inputs[input], options)) {
            granules.erase(written);
        }
    }
    return granules.size();
}

networks::Plan small_plan(const DeviceProfile& device)
{
    const networks::Graph graph =
        networks::simplified(networks::find_model("mlp-784-256-128-16")->make(1, 3));
    return best_plan(graph, device).plan;
}

} // namespace

TEST_CASE("A kernel finds in L2 what the one before it wrote, and fetches its weights")
{
    DeviceProfile device = find_profile("adreno-750");
    device.simulation.machine.l2().geometry.capacity = Bytes{1 << 22}; // all of the network
    const networks::Plan plan = small_plan(device);
    const auto kernels = simulate_network(plan, device, 1000);
    REQUIRE(kernels.size() == plan.kernels.size());
    for (std::size_t k = 0; k < kernels.size(); ++k) {
        const LoopNest rows = buffers_as_rows(plan.kernels[k].nest);
        std::size_t fetched = 0;
        for (std::size_t i = 0; i < rows.inputs.size(); ++i) {
            const networks::ValueId value = plan.kernels[k].kernel.inputs[i];
            const bool weights =
                value == networks::no_value || plan.graph.constants.contains(value);
            fetched += granules_fetched(rows, i, device.simulation, !weights && k > 0);
        }
        CHECK(kernels[k].l2.misses() == static_cast<std::int64_t>(fetched));
        if (!reads_buffers(plan.kernels[k].nest)) {
            CHECK(kernels[k].l2.lookups == kernels[k].l1.misses());
        }
        REQUIRE(kernels[k].time);
        CHECK(kernels[k].time->value > 0);
        CHECK(kernels[k].why_not.empty());
    }
    const auto counted = count_network(plan, device);
    for (std::size_t k = 0; k < kernels.size(); ++k) {
        CHECK(!counted[k].time);
        CHECK(counted[k].l1 == kernels[k].l1);
        CHECK(counted[k].l2 == kernels[k].l2);
    }
    // With an L2 that holds nothing for long there is more to fetch, and it takes longer.
    device.simulation.machine.l2().geometry.capacity = Bytes{1 << 12};
    const auto small = simulate_network(plan, device, 1000);
    CHECK(small[1].l2.misses() > kernels[1].l2.misses());
}

TEST_CASE("In training a kernel finds in L2 what has taken the place of a weight or momentum where "
          "it lies")
{
    DeviceProfile device = find_profile("adreno-750");
    device.simulation.machine.l2().geometry.capacity = Bytes{1 << 22};
    const networks::Graph network = networks::find_model("mlp-16-16-16-16")->make(2, 3);
    const networks::TrainingStep step =
        networks::training_step(network, {.momentum = 0.9, .accumulate = 2});
    // no kernel replaces an image where it lies: there are second memories
    for (const bool images : {false, true}) {
        networks::Plan plan = best_plan(step.graph, device, {.parts = "T"}).plan;
        for (auto& layout : plan.layouts) {
            if (layout && images) {
                layout->memory = Memory::image;
            }
        }
        for (networks::PlannedKernel& each : plan.kernels) {
            each.schedule =
                networks::noting(each.schedule, networks::given_layouts(plan, each.kernel));
        }
        networks::lower(plan);
        const std::vector<bool> twin = networks::twins(plan);
        CHECK(std::ranges::count(twin, true) ==
              (images ? std::ssize(step.weights) * 2 : std::ssize(step.weights)));

        // What is there: of each value, or of each of the two memories of what is carried.
        std::map<std::pair<networks::ValueId, int>, std::set<std::int64_t>> there;
        std::map<networks::ValueId, int> writes; // of what is carried
        const auto memory = [&](networks::ValueId value) {
            const networks::ValueId place = networks::place_of(plan.graph, value);
            return std::pair(place, twin[static_cast<std::size_t>(place)] ? writes[place] % 2 : 0);
        };
        const auto kernels = simulate_network(plan, device, 200);
        REQUIRE(kernels.size() == plan.kernels.size());
        for (std::size_t k = 0; k < kernels.size(); ++k) {
            CAPTURE(images, k, plan.kernels[k].kernel.op.name);
            const LoopNest rows = buffers_as_rows(plan.kernels[k].nest);
            // a kernel may read a value twice
            std::set<std::pair<networks::ValueId, std::int64_t>> fetched;
            for (std::size_t i = 0; i < rows.inputs.size(); ++i) {
                const networks::ValueId value = plan.kernels[k].kernel.inputs[i];
                const bool constant =
                    value == networks::no_value || plan.graph.constants.contains(value);
                const networks::ValueId own = constant ? -2 - static_cast<int>(i) : value;
                const std::set<std::int64_t> read = granules_read(rows, i, device.simulation);
                for (const std::int64_t granule : read) {
                    if (constant || there[memory(value)].insert(granule).second) {
                        fetched.emplace(own, granule);
                    }
                }
            }
            CHECK(kernels[k].l2.misses() == std::ssize(fetched));
            REQUIRE(kernels[k].time);
            const networks::ValueId made = plan.kernels[k].kernel.output;
            writes[networks::place_of(plan.graph, made)] +=
                networks::is_carried(plan.graph, made) ? 1 : 0;
            there[memory(made)].merge(
                granules_stored(plan.kernels[k].nest.output, device.simulation));
        }
    }
}

TEST_CASE("A kernel that cannot be simulated says why")
{
    DeviceProfile device = find_profile("adreno-750");
    const networks::Plan plan = small_plan(device);
    device.simulation.machine.l1().geometry.capacity = Bytes{0};
    for (const SimulatedKernel& kernel : simulate_network(plan, device, 1000)) {
        CHECK(!kernel.time);
        CHECK(!kernel.why_not.empty());
    }
}
