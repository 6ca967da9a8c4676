#include "workbench/network_studies/network_json.hpp"

#include "codegen/nest/loop_nest.hpp"
#include "networks/plan/memory_plan.hpp"
#include "workbench/network_studies/memory_budget.hpp"
#include "workbench/report/json_values.hpp"

#include <algorithm>
#include <set>

namespace texelscope::workbench::network_studies {
namespace {

using networks::MemoryPlan;
using networks::no_value;
using networks::Plan;
using networks::PlannedKernel;
using networks::ValueId;
using nlohmann::ordered_json;
using report::json_or_null;

/// What was planned for a kernel, without times: what it computes, its schedule, where its tensors
/// lie.
ordered_json kernel_json(const Plan& plan, const PlannedKernel& planned)
{
    const auto tensor = [&](ValueId value, const codegen::Operand& operand) -> ordered_json {
        return {{"name", value == no_value ? operand.tensor.name : plan.graph.value(value).name},
                {"memory", to_string(operand.memory)},
                {"layout", operand.layout ? to_string(*operand.layout) : ""},
                {"packed", operand.layout ? operand.layout->packed : -1},
                {"texels", {operand.image.extent.width, operand.image.extent.height}}};
    };
    ordered_json node;
    node["name"] = plan.graph.nodes[planned.nodes.front()].name;
    node["op"] = planned.kernel.op.name;
    node["shape"] = planned.kernel.op.shape;
    node["config"] = to_string(planned.schedule);
    node["conversion"] = planned.conversion;
    node["inputs"] = ordered_json::array();
    for (std::size_t i = 0; i < planned.kernel.inputs.size(); ++i) {
        node["inputs"].push_back(tensor(planned.kernel.inputs[i], planned.nest.inputs[i]));
    }
    node["output"] = tensor(planned.kernel.output, planned.nest.output);
    return node;
}

/// Bytes of the values that are cleared with zeros before a kernel makes them.
Bytes cleared_bytes(const Plan& plan, const MemoryPlan& memory)
{
    Bytes bytes{0};
    for (std::size_t k = 0; k < plan.kernels.size(); ++k) {
        bytes.value +=
            memory.clears_before(plan, k) ? networks::stored_size(plan.kernels[k].nest.output) : 0;
    }
    return bytes;
}

/// How many of the values that kernels make lie in that memory.
std::int64_t values_in(const Plan& plan, codegen::Memory memory)
{
    std::set<ValueId> values;
    for (const PlannedKernel& each : plan.kernels) {
        if (each.nest.output.memory == memory) {
            values.insert(each.kernel.output);
        }
    }
    return std::ssize(values);
}

ordered_json cache_json(const CacheStatistics& cache)
{
    return {{"lookups", cache.lookups},
            {"misses", cache.misses()},
            {"bytes_filled", cache.bytes_filled.value}};
}

ordered_json to_json(const PlannedMemory& memory)
{
    ordered_json out = {{"peak_bytes", memory.peak.value},
                        {"sum_bytes", memory.sum.value},
                        {"alive_bytes", memory.alive.value},
                        {"constant_bytes", memory.constants.value}};
    if (const auto& arena = memory.arena) {
        out["arena"] = {{"row_multiple", arena->row_multiple},
                        {"alignment", arena->alignment},
                        {"images", arena->images},
                        {"buffers", arena->buffers},
                        {"cleared_values", arena->cleared_values},
                        {"cleared_bytes", arena->cleared.value}};
    }
    return out;
}

} // namespace

PlannedMemory planned_memory(const Plan& plan)
{
    const MemoryPlan memory = memory_plan(plan);
    PlannedMemory numbers{.peak = Bytes{memory.slot_bytes()},
                          .sum = Bytes{memory.sum_bytes},
                          .alive = Bytes{memory.alive_bytes},
                          .constants = Bytes{memory.constant_bytes},
                          .arena = {}};
    if (plan.arena) {
        numbers.arena = {.row_multiple = plan.arena->row_multiple,
                         .alignment = plan.arena->alignment,
                         .images = values_in(plan, codegen::Memory::image),
                         .buffers = values_in(plan, codegen::Memory::buffer),
                         .cleared_values = std::ranges::count(memory.cleared, true),
                         .cleared = cleared_bytes(plan, memory)};
    }
    return numbers;
}

ordered_json network_json(const JudgedNetwork& network, std::int64_t batch)
{
    const Plan& plan = network.planned.plan;
    const auto& measured = network.measured;
    ordered_json out;
    out["network"] = network.graph.name;
    out["device"] = network.profile;
    out["on"] = measured ? ordered_json(measured->device) : ordered_json();
    out["batch"] = batch;
    out["nodes"] = ordered_json::array();
    const MemoryPlan memory = memory_plan(plan);
    for (std::size_t k = 0; k < plan.kernels.size(); ++k) {
        ordered_json node = kernel_json(plan, plan.kernels[k]);
        for (const Judge judge : all_judges) {
            node[time_word(judge) + "_ns"] = json_or_null(network.time(judge, k));
        }
        node["alive_bytes"] = memory.alive[k];
        if (network.training) {
            node["pass"] = to_string(network.pass(k));
            node["layer"] = network.layer(k).name;
            node["every"] = plan.kernels[k].every;
        }
        if (!network.simulated.empty()) {
            const SimulatedKernel& simulated = network.simulated[k];
            node["l1"] = cache_json(simulated.l1);
            node["l2"] = cache_json(simulated.l2);
            node["simulated_share"] = simulated.simulated_share;
            node["why_not"] = simulated.why_not;
        }
        if (!network.tuned.empty()) {
            const TunedKernel& tuned = network.tuned[k];
            node["tuned"] = {{"planned_ns", tuned.planned_ns},
                             {"best_ns", tuned.best_ns},
                             {"timed", tuned.timed},
                             {"failed", tuned.failed}};
        }
        if (measured) {
            const TensorCheck* const check = measured->check_of(plan.kernels[k].kernel.output);
            node["checked"] = check == nullptr ? ordered_json() : ordered_json(check->passed);
            node["error"] = check == nullptr ? ordered_json() : ordered_json(check->error);
        }
        out["nodes"].push_back(std::move(node));
    }
    out["memory"] = to_json(planned_memory(plan));
    out["searched"] = network.planned.searched;
    out["evaluated"] = network.planned.evaluated;
    for (const auto& [a, b] : judge_pairs) {
        out["kendall"][to_string(a) + "_" + to_string(b)] = json_or_null(network.agreement(a, b));
    }
    out["total"] = ordered_json::object();
    for (const Judge judge : all_judges) {
        out["total"][time_word(judge) + "_ns"] = json_or_null(network.total(judge));
    }
    if (measured) {
        out["total"]["measured_ns"] = measured->whole_ns;
        out["total"]["kernels_ns"] = measured->in_kernels();
        out["total"]["wall_ns"] = measured->wall_ns;
        out["total"]["samples"] = measured->samples;
    }
    if (network.training) {
        for (const Judge judge : all_judges) {
            for (const networks::Pass pass : networks::all_passes) {
                out["passes"][to_string(pass)][time_word(judge) + "_ns"] =
                    json_or_null(network.total(judge, pass));
            }
        }
        out["losses"] = network.trained.losses;
        if (network.memory_budget) {
            out["memory"]["budget_bytes"] = *network.memory_budget;
            out["memory"]["blocks"] = network.blocks;
            out["memory"]["blocks_again"] = network.blocks_again;
        }
    }
    return out;
}

} // namespace texelscope::workbench::network_studies
