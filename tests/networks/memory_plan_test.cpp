#include "networks/models/models.hpp"
#include "networks/passes/simplify.hpp"
#include "networks/plan/memory_plan.hpp"
#include "tests/networks/device_run.hpp"

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
        std::vector<std::size_t> places;
        for (std::size_t k = 0; k < plan.kernels.size(); ++k) {
            const NodeKernel& kernel = plan.kernels[k].kernel;
            if (kernel.output == value || (!places.empty() && std::ranges::count(kernel.inputs, value) > 0)) {
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

} // namespace

TEST_CASE("Values that are needed at once never share memory, and those that do find room in it")
{
    for (const char* name : {"resnet-18", "mobilenet-v2", "squeezenet-1.0", "densenet-121", "vit-tiny", "fsrcnn"}) {
        const Plan plan = starting_plan(simplified(find_model(name)->make(1, 1)));
        const MemoryPlan memory = memory_plan(plan);
        CAPTURE(name, memory.slot_bytes(), memory.alive_bytes, memory.sum_bytes);
        const auto all = lives(plan);
        std::map<ValueId, const codegen::Operand*> operands;
        for (const PlannedKernel& each : plan.kernels) {
            operands[each.kernel.output] = &each.nest.output;
        }
        for (const auto& [a, life] : all) {
            const int slot = memory.slot_of[static_cast<std::size_t>(a)];
            REQUIRE(slot >= 0);
            const codegen::Image& image = operands.at(a)->image;
            CHECK(image.extent.area() * image.bytes_per_texel.value <= memory.slot_sizes[static_cast<std::size_t>(slot)]);
            for (const auto& [b, other] : all) {
                if (a < b && slot == memory.slot_of[static_cast<std::size_t>(b)]) {
                    CHECK((life.second < other.first || other.second < life.first));
                }
            }
        }
        REQUIRE(memory.alive.size() == plan.kernels.size());
        std::int64_t most = 0;
        for (std::size_t k = 0; k < plan.kernels.size(); ++k) {
            std::int64_t bytes = 0;
            for (const auto& [value, life] : all) {
                const codegen::Image& image = operands.at(value)->image;
                const bool needed = life.first <= k && k <= life.second;
                bytes += needed ? image.extent.area() * image.bytes_per_texel.value : 0;
            }
            CHECK(memory.alive[k] == bytes);
            most = std::max(most, bytes);
        }
        CHECK(memory.alive_bytes == most);
        CHECK(memory.slot_bytes() >= memory.alive_bytes);
        CHECK(memory.slot_bytes() < memory.sum_bytes);
        const MemoryPlan apart = memory_plan(plan, false);
        CHECK(apart.slot_bytes() == memory.sum_bytes);
    }
}
