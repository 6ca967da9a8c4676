#include "base/number_text.hpp"
#include "cli/arguments.hpp"
#include "cli/network_arguments.hpp"
#include "cli/terminal.hpp"
#include "networks/plan/memory_plan.hpp"
#include "workbench/network_studies/memory_budget.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace texelscope::cli {
namespace {

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
        bytes.value += memory.clears_before(plan, k) ? stored_size(plan.kernels[k].nest.output) : 0;
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

std::string memory_text(const Plan& plan)
{
    const MemoryPlan memory = memory_plan(plan);
    std::string text =
        fmt::format("memory: {} for what kernels make ({} at once, {} if nothing were shared), {} "
                    "of weights and inputs\n",
                    bytes_text(Bytes{memory.slot_bytes()}), bytes_text(Bytes{memory.alive_bytes}),
                    bytes_text(Bytes{memory.sum_bytes}), bytes_text(Bytes{memory.constant_bytes}));
    if (plan.arena) {
        text += fmt::format("all in one buffer: {} images, with rows of a multiple of {} texels, "
                            "{} buffers; {} values, {}, are "
                            "cleared before they are made\n",
                            values_in(plan, codegen::Memory::image), plan.arena->row_multiple,
                            values_in(plan, codegen::Memory::buffer),
                            std::ranges::count(memory.cleared, true),
                            bytes_text(cleared_bytes(plan, memory)));
    }
    return text;
}

/// Where the tensors that a kernel reads lie.
std::string layouts_text(const Plan& plan, const PlannedKernel& planned)
{
    std::string text;
    for (std::size_t i = 0; i < planned.kernel.inputs.size(); ++i) {
        const ValueId input = planned.kernel.inputs[i];
        if (input != no_value && plan.layouts[static_cast<std::size_t>(input)]) {
            const codegen::TensorLayout& layout = *planned.nest.inputs[i].layout;
            text += fmt::format("{}{} {}", text.empty() ? "" : ", ", to_string(layout.memory),
                                to_string(layout));
        }
    }
    return text;
}

ordered_json cache_json(const CacheStatistics& cache)
{
    return {{"lookups", cache.lookups},
            {"misses", cache.misses()},
            {"bytes_filled", cache.bytes_filled.value}};
}

std::string hits_text(const CacheStatistics& cache)
{
    return cache.lookups == 0 ? "-" : fmt::format("{:.1f} %", 100 * (1 - cache.miss_rate()));
}

std::string agreements(const JudgedNetwork& network)
{
    std::string taus;
    for (const auto& [a, b] : judge_pairs) {
        if (const auto value = network.agreement(a, b)) {
            taus += fmt::format("{}{} and {} {:.2f}", taus.empty() ? "" : ", ", to_string(a),
                                to_string(b), *value);
        }
    }
    return taus.empty() ? "" : "\nKendall tau over the kernels: " + taus + "\n";
}

/// What each pass of training takes, and how the loss fell.
std::string passes_text(const JudgedNetwork& network)
{
    std::string text;
    for (const Judge judge : network.judges()) {
        std::string parts;
        for (const networks::Pass pass : networks::all_passes) {
            if (const auto total = network.total(judge, pass); total && *total > 0) {
                parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", to_string(pass),
                                     human_time(*total));
            }
        }
        text += parts.empty() ? "" : fmt::format("{}, a batch: {}\n", time_word(judge), parts);
    }
    const std::vector<double>& losses = network.trained.losses;
    if (!losses.empty()) {
        text += fmt::format("loss: {:.6g} in the first step, {:.6g} in step {}\n", losses.front(),
                            losses.back(), losses.size());
    }
    return text;
}

} // namespace

std::string network_heading(const JudgedNetwork& network)
{
    const PredictedPlan& planned = network.planned;
    std::set<std::size_t> nodes;
    for (const PlannedKernel& each : planned.plan.kernels) {
        nodes.insert(each.nodes.begin(), each.nodes.end());
    }
    std::string text = fmt::format(
        "{} on {}: {} nodes in {} kernels, predicted {} ({} configurations, {} looked at)\n",
        network.graph.name, network.profile, nodes.size(), planned.plan.kernels.size(),
        human_time(planned.total().value), count_text(planned.searched),
        count_text(planned.evaluated));
    if (const auto simulated = network.total(Judge::simulator)) {
        text += fmt::format("simulated: {}; L2 keeps what kernels left there\n",
                            human_time(*simulated));
    }
    if (network.measured) {
        text += fmt::format(
            "measured on {}: median {} of {} samples ({} in kernels, {} seen by the host)\n",
            network.measured->device, human_time(network.measured->whole_ns),
            network.measured->samples.size(), human_time(network.measured->in_kernels()),
            human_time(network.measured->wall_ns));
    }
    if (!network.tuned.empty()) {
        double planned_ns = 0;
        double best_ns = 0;
        int schedules = 0;
        for (const TunedKernel& tuned : network.tuned) {
            planned_ns += tuned.planned_ns;
            best_ns += tuned.best_ns;
            schedules += tuned.timed;
        }
        text += fmt::format("tuned: {} schedules timed, each kernel alone: {} by the model's "
                            "choice, {} by the fastest\n",
                            count_text(schedules), human_time(planned_ns), human_time(best_ns));
    }
    text += passes_text(network) + memory_text(planned.plan);
    if (network.memory_budget) {
        text += fmt::format("{} of {}; {} of {} blocks of the forward pass are computed again\n",
                            bytes_text(Bytes{memory_of(planned.plan)}),
                            bytes_text(Bytes{*network.memory_budget}), network.blocks_again,
                            network.blocks);
    }
    return text;
}

ordered_json network_json(const JudgedNetwork& network, std::int64_t batch)
{
    const Plan& plan = network.planned.plan;
    const auto& measured = network.measured;
    ordered_json out = json_result("network");
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
    out["memory"] = {{"peak_bytes", memory.slot_bytes()},
                     {"sum_bytes", memory.sum_bytes},
                     {"alive_bytes", memory.alive_bytes},
                     {"constant_bytes", memory.constant_bytes}};
    if (plan.arena) {
        out["memory"]["arena"] = {{"row_multiple", plan.arena->row_multiple},
                                  {"alignment", plan.arena->alignment},
                                  {"images", values_in(plan, codegen::Memory::image)},
                                  {"buffers", values_in(plan, codegen::Memory::buffer)},
                                  {"cleared_values", std::ranges::count(memory.cleared, true)},
                                  {"cleared_bytes", cleared_bytes(plan, memory).value}};
    }
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

std::string network_text(const JudgedNetwork& network, bool layouts)
{
    const Plan& plan = network.planned.plan;
    const bool checked = network.measured && !network.measured->checked.empty();
    Cells columns{"kernel", "computes", "output", "configuration"};
    if (layouts) {
        columns.emplace_back("inputs");
    }
    std::vector<Cells> rows;
    for (std::size_t k = 0; k < plan.kernels.size(); ++k) {
        const PlannedKernel& each = plan.kernels[k];
        Cells row{count_text(static_cast<std::int64_t>(k)), each.kernel.op.name,
                  to_string(plan.graph.value(each.kernel.output).shape), to_string(each.schedule)};
        if (layouts) {
            row.push_back(layouts_text(plan, each));
        }
        rows.push_back(std::move(row));
    }
    Cells sums{"", "all", "", ""};
    sums.resize(columns.size());
    const auto time = [](const std::optional<double>& ns) {
        return ns ? human_time(*ns) : std::string("-");
    };
    for (const Judge judge : network.judges()) {
        columns.push_back(time_word(judge));
        sums.push_back(time(network.total(judge)));
        for (std::size_t k = 0; k < rows.size(); ++k) {
            rows[k].push_back(time(network.time(judge, k)));
        }
    }
    if (!network.simulated.empty()) {
        columns.insert(columns.end(), {"L1 hits", "L2 hits"});
        sums.resize(columns.size());
        for (std::size_t k = 0; k < rows.size(); ++k) {
            rows[k].push_back(hits_text(network.simulated[k].l1));
            rows[k].push_back(hits_text(network.simulated[k].l2));
        }
    }
    columns.emplace_back("share");
    sums.emplace_back("");
    // Shares are of the time by the last judge that answered.
    const Judge last = network.last_judge();
    const auto total = network.total(last);
    for (std::size_t k = 0; k < rows.size(); ++k) {
        rows[k].push_back(
            total ? fmt::format("{:.1f} %", 100 * network.time(last, k).value_or(0) / *total) : "");
        if (checked) {
            const TensorCheck* const check =
                network.measured->check_of(plan.kernels[k].kernel.output);
            rows[k].push_back(check == nullptr ? "" : fmt::format("{:.1e}", check->error));
        }
    }
    if (checked) {
        columns.emplace_back("error");
        sums.emplace_back("");
    }
    rows.push_back(std::move(sums));
    std::string text =
        network_heading(network) + "\n" + format_table(columns, rows) + agreements(network);
    if (checked) {
        const std::int64_t all = std::ssize(network.measured->checked);
        text += fmt::format(
            "\n{} of {} tensors agree with the reference ({:g} of their largest number)\n",
            all - network.measured->failed(), all, network.measured->allowed_error);
    }
    return text;
}

} // namespace texelscope::cli
