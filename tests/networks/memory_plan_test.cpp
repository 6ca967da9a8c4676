#include "codegen/nest/loop_nest.hpp"
#include "networks/models/models.hpp"
#include "networks/passes/simplify.hpp"
#include "networks/plan/arena_plan.hpp"
#include "networks/plan/carried.hpp"
#include "networks/plan/memory_plan.hpp"
#include "networks/training/training_step.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <map>

using namespace texelscope;
using namespace texelscope::networks;

namespace {

/// Kernels between which a value is needed, both ends included, as slowly as can be.
std::map<ValueId, std::pair<std::size_t, std::size_t>> lives(const Plan& plan)
{
    std::map<ValueId, std::pair<std::size_t, std::size_t>> all;
    for (std::size_t id = 0; id < plan.graph.values.size(); ++id) {
        const auto value = static_cast<ValueId>(id);
        if (is_carried(plan.graph, value)) { // lies where the input does
            continue;
        }
        std::vector<std::size_t> places;
        for (std::size_t k = 0; k < plan.kernels.size(); ++k) {
            const NodeKernel& kernel = plan.kernels[k].kernel;
            if (kernel.output == value ||
                (!places.empty() && std::ranges::count(kernel.inputs, value) > 0)) {
                places.push_back(k);
            }
        }
        if (!places.empty()) {
            const bool wanted = std::ranges::count(plan.graph.outputs, value) > 0;
            all[value] = {places.front(), wanted ? plan.kernels.size() : places.back()};
        }
    }
    return all;
}

/// Whether a kernel's work-items read of a value only the elements that they write, and what they
/// write lies in a buffer alike.
bool element_by_element(const PlannedKernel& each, ValueId value)
{
    bool only = each.nest.output.memory == codegen::Memory::buffer && each.kernel.contraction;
    for (std::size_t i = 0; i < each.kernel.inputs.size(); ++i) {
        const codegen::Operand& read = each.nest.inputs[i];
        only =
            only &&
            (each.kernel.inputs[i] != value ||
             (read.layout == each.nest.output.layout &&
              read.tensor.shape == each.nest.output.tensor.shape &&
              each.kernel.contraction->inputs[i].index == each.kernel.contraction->output_index));
    }
    return only;
}

/// Value by value and kernel by kernel: what is needed at once lies apart, but for what is made in
/// place of an input.
void check_memory(const Plan& plan)
{
    const MemoryPlan memory = memory_plan(plan);
    CAPTURE(plan.graph.name, memory.slot_bytes(), memory.alive_bytes, memory.sum_bytes);
    const auto all = lives(plan);
    std::map<ValueId, const codegen::Operand*> operands;
    for (const PlannedKernel& each : plan.kernels) {
        operands[each.kernel.output] = &each.nest.output;
    }
    const auto bytes_of = [&](ValueId value) {
        const codegen::Image& image = operands.at(value)->image;
        return image.extent.area() * image.bytes_per_texel.value;
    };
    const auto place = [&](ValueId value) {
        return memory.lies_at[static_cast<std::size_t>(value)];
    };
    const auto offset = [&](ValueId value) {
        return memory.offset_of[static_cast<std::size_t>(value)];
    };
    for (const auto& [a, life] : all) {
        const int slot = memory.slot_of[static_cast<std::size_t>(a)];
        REQUIRE(slot >= 0);
        CHECK(offset(a) + bytes_of(a) <= memory.slot_sizes[static_cast<std::size_t>(slot)]);
        for (const auto& [b, other] : all) {
            const bool overlap = slot == memory.slot_of[static_cast<std::size_t>(b)] &&
                                 offset(a) < offset(b) + bytes_of(b) &&
                                 offset(b) < offset(a) + bytes_of(a);
            if (a == b || !overlap || life.first > other.first) {
                continue;
            }
            CAPTURE(plan.graph.value(a).name, plan.graph.value(b).name);
            const bool replaced = place(a) == place(b) && life.second == other.first;
            CHECK((life.second < other.first ||
                   (replaced && element_by_element(plan.kernels[other.first], a))));
        }
    }
    REQUIRE(memory.alive.size() == plan.kernels.size());
    std::int64_t most = 0;
    for (std::size_t k = 0; k < plan.kernels.size(); ++k) {
        std::map<ValueId, std::int64_t> needed; // by where they lie
        for (const auto& [value, life] : all) {
            if (life.first <= k && k <= life.second) {
                needed[place(value)] = bytes_of(value);
            }
        }
        std::int64_t bytes = 0;
        for (const auto& [at, size] : needed) {
            bytes += size;
        }
        CHECK(memory.alive[k] == bytes);
        most = std::max(most, bytes);
    }
    CHECK(memory.alive_bytes == most);
    CHECK(memory.slot_bytes() >= memory.alive_bytes);
    CHECK(memory.slot_bytes() < memory.sum_bytes);
    CHECK(memory_plan(plan, false).slot_bytes() >= memory.sum_bytes);
}

} // namespace

TEST_CASE("Values that are needed at once never share memory, and those that do find room in it")
{
    for (const char* name :
         {"resnet-18", "mobilenet-v2", "squeezenet-1.0", "densenet-121", "vit-tiny", "fsrcnn"}) {
        check_memory(starting_plan(simplified(find_model(name)->make(1, 1))));
    }
}

TEST_CASE("In buffers values take the place of those that their kernels read element by element "
          "for the last time")
{
    for (const char* name : {"mlp-784-256-128-16", "lenet-5"}) {
        const TrainingStep step =
            training_step(simplified(find_model(name)->make(2, 1), false), {});
        const Plan plan = in_arena(starting_plan(step.graph), {});
        check_memory(plan);
        const MemoryPlan memory = memory_plan(plan);
        int in_place = 0;
        for (std::size_t value = 0; value < memory.lies_at.size(); ++value) {
            in_place += memory.lies_at[value] != static_cast<ValueId>(value) ? 1 : 0;
        }
        CAPTURE(name);
        CHECK(in_place > 0);
    }
}
