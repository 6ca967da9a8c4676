#include "base/number_text.hpp"
#include "cli/arguments.hpp"
#include "cli/network_arguments.hpp"
#include "cli/terminal.hpp"
#include "networks/passes/simplify.hpp"
#include "networks/plan/memory_plan.hpp"
#include "workbench/network_studies/policies/layout_policy.hpp"
#include "workbench/network_studies/policies/policy_comparison.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace texelscope::cli {
namespace {

// `network compare`: the same network planned by our search and by the policies of other
// frameworks, each judged the same way.
struct ComparisonArguments : JudgingArguments {
    std::vector<std::string> policies;
    bool layouts = false;
};

std::string time_text(const std::optional<double>& ns)
{
    return ns ? human_time(*ns) : "-";
}

/// The whole network by each policy.
std::string totals_text(const PolicyComparison& comparison)
{
    const JudgedNetwork& ours = *comparison.ours().network;
    Cells columns{"policy"};
    for (const Judge judge : ours.judges()) {
        columns.push_back(time_word(judge));
        columns.emplace_back("over ours");
    }
    columns.emplace_back("memory");
    std::vector<Cells> rows;
    std::string why_not;
    for (const PolicyResult& each : comparison.policies) {
        Cells row{each.policy};
        for (const Judge judge : ours.judges()) {
            const auto total = each.total(judge);
            const auto our_time = ours.total(judge);
            row.push_back(time_text(total));
            row.push_back(total && our_time ? fmt::format("{:.2f}", *total / *our_time) : "-");
        }
        row.push_back(each.network
                          ? bytes_text(Bytes{memory_plan(each.network->planned.plan).slot_bytes()})
                          : "-");
        rows.push_back(std::move(row));
        why_not += each.why_not.empty() ? "" : fmt::format("{}: {}\n", each.policy, each.why_not);
    }
    return format_table(columns, rows) + why_not;
}

/// Each kernel's time by each policy. Where several judges answered, the last one counts: device
/// over simulator over model.
std::string kernels_text(const PolicyComparison& comparison)
{
    const JudgedNetwork& ours = *comparison.ours().network;
    const Judge judge = ours.last_judge();
    Cells columns{"kernel", "computes", "output"};
    for (const PolicyResult& each : comparison.policies) {
        if (each.network) {
            columns.push_back(each.policy);
        }
    }
    std::vector<Cells> rows;
    for (std::size_t k = 0; k < ours.planned.plan.kernels.size(); ++k) {
        const PlannedKernel& kernel = ours.planned.plan.kernels[k];
        Cells row{count_text(static_cast<std::int64_t>(k)), kernel.kernel.op.name,
                  to_string(ours.planned.plan.graph.value(kernel.kernel.output).shape)};
        for (const PolicyResult& each : comparison.policies) {
            if (each.network) {
                row.push_back(time_text(each.network->time(judge, k)));
            }
        }
        rows.push_back(std::move(row));
    }
    return format_table(columns, rows);
}

/// Where each tensor between kernels lies by each policy, one line each.
std::string layouts_text(const PolicyComparison& comparison)
{
    const Plan& plan = comparison.ours().network->planned.plan;
    std::vector<Cells> rows;
    for (std::size_t v = 0; v < plan.layouts.size(); ++v) {
        if (!plan.layouts[v]) {
            continue;
        }
        const Value& value = plan.graph.value(static_cast<ValueId>(v));
        bool first = true;
        for (const PolicyResult& each : comparison.policies) {
            if (each.network) {
                const codegen::TensorLayout& layout = *each.network->planned.plan.layouts[v];
                rows.push_back({first ? value.name : "", first ? to_string(value.shape) : "",
                                each.policy, to_string(layout.memory), to_string(layout)});
                first = false;
            }
        }
    }
    return format_table({"tensor", "shape", "policy", "memory", "lies"}, rows);
}

ordered_json comparison_json(const PolicyComparison& comparison, std::int64_t batch)
{
    ordered_json out = json_result("network-comparison");
    out["policies"] = json_list(comparison.policies, [&](const PolicyResult& each) -> ordered_json {
        return {
            {"policy", each.policy},
            {"network", each.network ? network_result_json(*each.network, batch) : ordered_json()},
            {"why_not", each.why_not}};
    });
    for (const Judge judge : comparison.ours().network->judges()) {
        // The speed-up is over the best of the others, not over the worst or the mean.
        const PolicyResult* const best = comparison.best_other(judge);
        out["best_other"][time_word(judge)] =
            best == nullptr ? ordered_json() : ordered_json(best->policy);
        out["speedup"][time_word(judge)] = json_or_null(comparison.speedup(judge));
    }
    return out;
}

int compare(const ComparisonArguments& arguments, const GlobalOptions& global)
{
    const Graph graph = simplified(arguments.model.graph(global.seed));
    std::optional<OpenClDevice> device;
    if (arguments.on != "none") {
        device.emplace(arguments.on, arguments.place.runner_options());
    } else {
        arguments.place.refuse("where nothing is run");
    }
    JudgingOptions options = arguments.judging;
    options.search.storage = storage_named(arguments.storage);
    const PolicyComparison comparison =
        compare_policies(graph, find_profile(arguments.device),
                         arguments.policies.empty() ? policy_keys() : arguments.policies, options,
                         device ? &*device : nullptr, drawn_inputs(graph, global.seed),
                         make_progress(global), interrupted);
    end_progress(global);
    if (global.json) {
        print_json(comparison_json(comparison, arguments.model.batch));
        return exit_code::done;
    }
    std::string text = fmt::format("{} on {}: {} kernels\n\n", graph.name, arguments.device,
                                   comparison.ours().network->planned.plan.kernels.size());
    text += totals_text(comparison) + "\n" + kernels_text(comparison);
    print_text(arguments.layouts ? text + "\n" + layouts_text(comparison) : text);
    return exit_code::done;
}

} // namespace

void add_network_comparison(std::vector<Command>& subcommands, CLI::App& parser,
                            const GlobalOptions& global)
{
    const auto [command, arguments] = add_subcommand<ComparisonArguments>(
        subcommands, parser, "compare",
        "the network as we plan it, and as other frameworks' policies would", compare, global);
    arguments->model.add_to(*command);
    command->add_option("--device", arguments->device, "profile that it is planned for");
    command
        ->add_option("--policies", arguments->policies,
                     fmt::format("beside ours, of {}", fmt::join(policy_keys(), ", ")))
        ->delimiter(',');
    command->add_flag("--layouts", arguments->layouts,
                      "list where each tensor lies by each policy");
    command->add_option("--storage", arguments->storage,
                        "what tensors are stored in: fp32 or fp16");
    arguments->add_simulation_to(*command);
    arguments->add_tuning_to(*command);
    command->add_option("--on", arguments->on, "OpenCL device that runs all of them; none: no run");
    arguments->place.add_to(*command);
}

} // namespace texelscope::cli
