#include "workbench/report/crosscheck_json.hpp"

#include "devices/compilers/kernel_compiler.hpp"

namespace texelscope::workbench::report {
namespace {

ordered_json facts_json(const KernelFacts& facts)
{
    return {{"l1_lookups", facts.l1_lookups},
            {"l1_misses", facts.l1_misses},
            {"memory_bytes", facts.from_memory.value},
            {"warps", facts.warps},
            {"resident_warps", facts.resident_warps},
            {"limited_by", facts.limited_by},
            {"stalled_by", facts.stalled_by},
            {"stalled_share", facts.stalled_share},
            {"registers", facts.registers},
            {"issue_cycles", facts.issue_cycles},
            {"bound_by", facts.bound_by},
            {"bound_share", facts.bound_share}};
}

ordered_json choice_json(const JudgeChoice& choice, const JudgedConfigurations& judged)
{
    const CrosscheckResult& result = judged.crosscheck;
    const JudgeChoices& choices = judged.choices;
    const auto config = [&](const std::optional<std::size_t>& row) {
        return row ? ordered_json(to_string(result.rows[*row].schedule)) : ordered_json();
    };
    const auto apart = [&](const std::optional<std::size_t>& row) {
        return row && *row != choice.row ? ordered_json(apart_text(choices, choice.row, *row))
                                         : ordered_json();
    };
    return {{"judge", to_string(choice.judge)},
            {"config", config(choice.row)},
            {"alike", choice.alike},
            {"over_best", json_or_null(choice.over_best)},
            {"second", config(choice.second)},
            {"apart_from_second", apart(choice.second)},
            {"apart_from_in_use", apart(choices.in_use)},
            {"facts", facts_json(choices.facts.at(choice.row))}};
}

} // namespace

ordered_json crosscheck_json(const JudgedConfigurations& judged, const Operator& op,
                             const DeviceProfile& profile, const std::string& on)
{
    const CrosscheckResult& result = judged.crosscheck;
    ordered_json out;
    out["op"] = op.name;
    out["shape"] = op.shape;
    out["device"] = profile.name;
    out["registers"] = registers_text(profile);
    out["on"] = on;
    out["like_with_like"] = json_or_null(result.like_with_like);
    out["note"] = json_or_null(unlike_note(result));
    out["variant"] = to_string(result.variant.variant);
    out["variant_because"] =
        result.variant.why.empty() ? ordered_json() : ordered_json(result.variant.why);
    out["space"] = result.space;
    out["wanted"] = result.wanted;
    out["rows"] = json_list(result.rows, [](const CrosscheckRow& row) -> ordered_json {
        return {
            {"config", to_string(row.schedule)},
            {"predicted_ns", row.predicted.value},
            {"simulated_ns", row.simulated.value},
            {"measured_ns", row.measured ? ordered_json(row.measured->value) : ordered_json()},
            {"wall_clock", row.wall_clock},
            {"arithmetic", row.measured ? ordered_json(to_string(row.arithmetic)) : ordered_json()},
            {"checked", row.checked},
            {"reason", row.reason}};
    });
    for (const JudgePair& pair : result.pairs) {
        out["kendall"][pair.name("_")] = json_or_null(pair.kendall);
    }
    for (const JudgePair& pair : result.pairs) {
        out["regret"][pair.name("_on_")] = json_or_null(pair.regret);
    }
    out["choices"] = json_list(judged.choices.by_judge, [&](const JudgeChoice& choice) {
        return choice_json(choice, judged);
    });
    return out;
}

} // namespace texelscope::workbench::report
