#include "base/number_text.hpp"
#include "cli/arguments.hpp"
#include "cli/network_arguments.hpp"
#include "cli/terminal.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "workbench/network_studies/memory_budget.hpp"
#include "workbench/network_studies/network_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace texelscope::cli {
namespace {

std::string memory_text(const Plan& plan)
{
    const PlannedMemory memory = planned_memory(plan);
    std::string text =
        fmt::format("memory: {} for what kernels make ({} at once, {} if nothing were shared), {} "
                    "of weights and inputs\n",
                    bytes_text(memory.peak), bytes_text(memory.alive), bytes_text(memory.sum),
                    bytes_text(memory.constants));
    if (const auto& arena = memory.arena) {
        text += fmt::format("all in one buffer: {} images, with rows of a multiple of {} texels, "
                            "{} buffers; {} values, {}, are cleared before they are made\n",
                            arena->images, arena->row_multiple, arena->buffers,
                            arena->cleared_values, bytes_text(arena->cleared));
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

ordered_json network_result_json(const JudgedNetwork& network, std::int64_t batch)
{
    return json_result("network", network_json(network, batch));
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
