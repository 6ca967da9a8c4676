#include "cli/network_plan.hpp"

#include "base/number_text.hpp"
#include "cli/network_arguments.hpp"
#include "cli/terminal.hpp"
#include "networks/passes/simplify.hpp"
#include "networks/plan/memory_plan.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace texelscope::cli {
namespace {

struct NetworkPlanArguments {
    ModelSource model;
    PlanArguments plan;
};

int plan_and_print(const NetworkPlanArguments& arguments, const GlobalOptions& global)
{
    const Graph graph = simplified(arguments.model.graph(global.seed));
    const PredictedPlan planned = arguments.plan.plan(graph, global);
    const Plan& plan = planned.plan;
    if (global.json) {
        ordered_json out = json_result("network");
        out["network"] = graph.name;
        out["device"] = arguments.plan.device;
        out["batch"] = arguments.model.batch;
        out["nodes"] = ordered_json::array();
        for (std::size_t k = 0; k < plan.kernels.size(); ++k) {
            ordered_json node = kernel_json(plan, plan.kernels[k]);
            node["predicted_ns"] = planned.predicted[k].value;
            out["nodes"].push_back(std::move(node));
        }
        out["memory"] = memory_json(plan);
        out["searched"] = planned.searched;
        out["evaluated"] = planned.evaluated;
        out["total"] = {{"predicted_ns", planned.total().value}};
        print_json(out);
        return exit_code::done;
    }
    std::vector<Cells> rows;
    for (std::size_t k = 0; k < plan.kernels.size(); ++k) {
        const PlannedKernel& each = plan.kernels[k];
        std::string inputs;
        for (std::size_t i = 0; i < each.kernel.inputs.size(); ++i) {
            const ValueId input = each.kernel.inputs[i];
            if (input != no_value && plan.layouts[static_cast<std::size_t>(input)]) {
                inputs += (inputs.empty() ? "" : ", ") + layout_text(each.nest.inputs[i].layout);
            }
        }
        rows.push_back({count_text(static_cast<std::int64_t>(k)), each.kernel.op.name,
                        to_string(plan.graph.value(each.kernel.output).shape), to_string(each.schedule), inputs,
                        human_time(planned.predicted[k].value)});
    }
    print_text(fmt::format("{} on {}: {} nodes in {} kernels, predicted {} ({} configurations, {} looked at)\n{}\n",
                           graph.name, arguments.plan.device, graph.nodes.size(), plan.kernels.size(),
                           human_time(planned.total().value), count_text(planned.searched),
                           count_text(planned.evaluated), memory_text(plan)) +
               format_table({"kernel", "computes", "output", "configuration", "inputs", "predicted"}, rows));
    return exit_code::done;
}

} // namespace

void PlanArguments::add_to(CLI::App& parser)
{
    parser.add_option("--device", device, "profile that the network is planned for");
    parser.add_option("--parts", options.parts, "parts of schedules that are searched, by letter");
}

PredictedPlan PlanArguments::plan(const networks::Graph& graph, const GlobalOptions& global) const
{
    const DeviceProfile profile = find_profile(device);
    return best_plan(graph, profile, options, make_progress(global), interrupted);
}

std::string layout_text(const std::optional<codegen::TensorLayout>& layout)
{
    return !layout ? "" : fmt::format("{} {}", to_string(layout->memory), to_string(layout->pattern));
}

ordered_json kernel_json(const networks::Plan& plan, const networks::PlannedKernel& planned)
{
    const auto tensor = [&](networks::ValueId value, const codegen::Operand& operand) -> ordered_json {
        return {{"name", value == networks::no_value ? operand.tensor.name : plan.graph.value(value).name},
                {"memory", to_string(operand.memory)},
                {"layout", operand.layout ? to_string(operand.layout->pattern) : ""},
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

ordered_json memory_json(const networks::Plan& plan)
{
    const networks::MemoryPlan memory = networks::memory_plan(plan);
    return {{"peak_bytes", memory.slot_bytes()},
            {"sum_bytes", memory.sum_bytes},
            {"alive_bytes", memory.alive_bytes},
            {"constant_bytes", memory.constant_bytes}};
}

std::string memory_text(const networks::Plan& plan)
{
    const networks::MemoryPlan memory = networks::memory_plan(plan);
    return fmt::format(
        "memory: {} for what kernels make ({} at once, {} if nothing were shared), {} of weights and inputs\n",
        bytes_text(Bytes{memory.slot_bytes()}), bytes_text(Bytes{memory.alive_bytes}),
        bytes_text(Bytes{memory.sum_bytes}), bytes_text(Bytes{memory.constant_bytes}));
}

void add_network_plan(std::vector<Command>& subcommands, CLI::App& parser, const GlobalOptions& global)
{
    const auto [added, arguments] = add_subcommand<NetworkPlanArguments>(
        subcommands, parser, "plan", "a schedule for every kernel and a layout for every tensor", plan_and_print,
        global);
    arguments->model.add_to(*added);
    arguments->plan.add_to(*added);
}

} // namespace texelscope::cli
