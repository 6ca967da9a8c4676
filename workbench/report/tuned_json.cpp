#include "workbench/report/tuned_json.hpp"

#include "devices/compilers/kernel_compiler.hpp"

namespace texelscope::workbench::report {
namespace {

ordered_json pruning_json(const tuning::OrderingModel& model)
{
    ordered_json criteria = ordered_json::object();
    for (const SpaceCounts::Condition& criterion : model.pruned->conditions) {
        criteria[criterion.text] = {{"first", criterion.excluded}, {"alone", criterion.alone}};
    }
    ordered_json out{{"kept", model.pruned->kept}, {"criteria", criteria}, {"off", model.off}};
    if (model.shared_once) {
        out["loads"] = "shared-once";
    }
    return out;
}

ordered_json row_json(const tuning::RankedRow& row)
{
    ordered_json json{{"config", row.config}, {"cost_ns", row.time.value}, {"alike", row.alike}};
    if (row.predicted) {
        json["predicted_ns"] = row.predicted->value;
        json["predicted_alike"] = row.predicted_alike;
    }
    if (row.rough) {
        json["rough"] = true;
    }
    return json;
}

} // namespace

ordered_json parts_json(const std::string& parts)
{
    ordered_json letters;
    for (const char part : parts) {
        letters.push_back(std::string(1, part));
    }
    return letters;
}

ordered_json conditions_json(const SpaceCounts& counts)
{
    return {
        {"kept", counts.kept},
        {"conditions",
         json_list(counts.conditions, [](const SpaceCounts::Condition& condition) -> ordered_json {
             return {{"condition", condition.text}, {"excludes", condition.excluded}};
         })}};
}

ordered_json tuned_json(const tuning::Tuned& tuned)
{
    const tuning::TuneQuestion& asked = tuned.question;
    const bool judged = tuned.judge != Judge::model;
    ordered_json out;
    out["op"] = asked.op.name;
    out["shape"] = asked.op.shape;
    out["device"] = asked.device.name;
    out["registers"] = registers_text(asked.device);
    out["strategy"] = asked.strategy.name;
    out["ordered_by"] = to_string(tuned.judge);
    if (judged) {
        out["judge"] = to_string(tuned.judge);
        out["judged_on"] = tuned.judged_on;
    }
    out["parts"] = parts_json(tuned.parts);
    out["space"] = tuned.space.size;
    if (!asked.where.empty()) {
        out["where"] = conditions_json(tuned.space);
    }
    if (tuned.model) {
        const VariantChoice& choice = tuned.model->choice;
        out["variant"] = to_string(choice.variant);
        out["variant_because"] = choice.why.empty() ? ordered_json() : ordered_json(choice.why);
    }
    out["pruned"] = tuned.pruned();
    if (tuned.model && tuned.model->pruned) {
        out["pruning"] = pruning_json(*tuned.model);
    }
    out["evaluated"] = tuned.evaluated;
    if (judged) {
        out["rough"] = tuned.rough;
        out["from_store"] = tuned.answers.from_store;
        out["wall_clock"] = tuned.answers.wall_clock;
        if (tuned.chance_left) {
            out["chance_left"] = *tuned.chance_left;
        }
        if (tuned.leaders) {
            out["repeats"] = {{"runs", tuned.leaders->repeats},
                              {"leaders", tuned.leaders->leaders.size()},
                              {"noise", tuned.leaders->noise},
                              {"settled", tuned.leaders->settled}};
        }
    } else {
        out["not_priced"] = tuned.not_priced;
    }
    out["seconds"] = tuned.seconds;
    out["ranking"] = json_list(tuned.rows, row_json);
    return out;
}

} // namespace texelscope::workbench::report
