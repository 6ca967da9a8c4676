#include "cli/identify_output.hpp"

#include "base/lists.hpp"
#include "cli/terminal.hpp"
#include "workbench/probes/identification_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace texelscope::cli {
namespace {

// Rows of the tables for people; JSON has all explanations.
constexpr std::size_t shown_explanations = 10;
constexpr std::size_t shown_equivalents = 12;
constexpr std::size_t listed_equivalents = 200; ///< in JSON; their number is always given
constexpr std::size_t shown_walks = 5;

std::string index_name(SetIndex index)
{
    return index == SetIndex::modulo ? "modulo" : "xor";
}

ordered_json geometry_json(const CacheGeometry& l1)
{
    return {{"capacity", l1.capacity.value},
            {"line", l1.line.value},
            {"ways", l1.ways},
            {"sets", l1.sets()},
            {"sector", l1.sector.value},
            {"index", index_name(l1.index)},
            {"replacement", to_string(l1.replacement)}};
}

ordered_json fit_json(const FitError& fit)
{
    return {{"mape", fit.mape}, {"worst", fit.worst}, {"r2", fit.r2}};
}

/// Walks with the largest errors of the best explanation, the worst first.
std::vector<std::size_t> worst_walks(const MeasuredWalks& measured, const Explanation& best)
{
    std::vector<std::size_t> order(measured.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto error = [&](std::size_t i) {
        return std::abs(best.predicted[i] / measured.ns_per_read[i] - 1);
    };
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return error(a) > error(b); });
    order.resize(std::min(order.size(), shown_walks));
    return order;
}

} // namespace

ordered_json to_json(const TextureCache& cache)
{
    return {{"layout", to_string(cache.layout)}, {"l1", geometry_json(cache.l1)}};
}

void add_identification(ordered_json& out, const MeasuredWalks& measured,
                        const Identification& identification,
                        const std::vector<PredictedWalk>& predicted)
{
    const Explanation& best = identification.explanations.front();
    out["image"] = fmt::format("{}x{}x{}", measured.extent.width, measured.extent.height,
                               measured.bytes_per_texel.value);
    out["walks"] = measured.size();
    out["reads"] = measured.reads();
    out["layout"] = to_string(best.cache.layout);
    out["l1"] = geometry_json(best.cache.l1);
    out["granule"] = {{"width", best.granule.width}, {"height", best.granule.height}};
    out["hit_ns"] = best.latency.hit;
    out["miss_ns"] = best.latency.miss;
    out["error"] = {{"fit_mape", best.fit.mape},
                    {"held_out_mape", identification.held_out.mape},
                    {"r2", best.fit.r2},
                    {"fit_worst", best.fit.worst},
                    {"held_out_worst", identification.held_out.worst},
                    {"held_out_r2", identification.held_out.r2},
                    {"one_latency_mape", identification.error_of_one_latency}};
    // The best explanation must err at most half as much, held out, as one latency for all walks.
    out["explains"] = explains_walks(identification);
    out["predicted"] = json_list(predicted, [](const PredictedWalk& walk) -> ordered_json {
        return {{"walk", walk.number}, {"ns", walk.ns}};
    });
    out["explanations"] = ordered_json::array();
    for (const Explanation& explanation : identification.explanations) {
        ordered_json one = to_json(explanation.cache);
        one["granule"] = {{"width", explanation.granule.width},
                          {"height", explanation.granule.height}};
        one["hit_ns"] = explanation.latency.hit;
        one["miss_ns"] = explanation.latency.miss;
        one["error"] = fit_json(explanation.fit);
        one["weight"] = explanation.weight;
        one["equivalent_count"] = explanation.equivalents.size();
        one["equivalents"] = ordered_json::array();
        for (std::size_t i = 0; i < std::min(explanation.equivalents.size(), listed_equivalents);
             ++i) {
            one["equivalents"].push_back(to_json(explanation.equivalents[i]));
        }
        out["explanations"].push_back(std::move(one));
    }
    out["support"] = ordered_json::object();
    for (const PropertySupport& property : identification.support) {
        ordered_json values = ordered_json::object();
        for (const PropertySupport::Value& value : property.values) {
            values[value.text] = value.support;
        }
        out["support"][property.property] = {{"determined", property.determined()},
                                             {"values", values}};
    }
    out["fold_choices"] = json_list(identification.fold_choices,
                                    [](const TextureCache& choice) { return to_json(choice); });
    out["residuals"] = ordered_json::array();
    for (std::size_t i = 0; i < measured.size(); ++i) {
        out["residuals"].push_back({{"walk", measured.walks[i].number},
                                    {"ns", measured.ns_per_read[i]},
                                    {"fitted_ns", best.predicted[i]},
                                    {"held_out_ns", identification.held_out_predicted[i]}});
    }
    out["searched"] = {{"layouts", identification.layouts}, {"caches", identification.caches}};
}

std::string identification_text(const MeasuredWalks& measured, const Identification& identification)
{
    const Explanation& best = identification.explanations.front();
    std::string text = identification_summary(measured, identification);
    std::vector<Cells> rows;
    for (std::size_t i = 0; i < std::min(shown_explanations, identification.explanations.size());
         ++i) {
        const Explanation& explanation = identification.explanations[i];
        rows.push_back({fmt::format("{:.3f}", 100 * explanation.fit.mape),
                        fmt::format("{:.1f}", 100 * explanation.fit.worst),
                        fmt::format("{:.3f}", explanation.weight),
                        std::to_string(explanation.equivalents.size()),
                        to_text(explanation.cache)});
    }
    text += "\nexplanations (the weight is the probability that it is the best of all)\n";
    text += format_table({"error %", "worst %", "weight", "alike", "explanation"}, rows);

    text += "\nwhat the walks say (weight of the explanations with that value)\n";
    rows.clear();
    const ResultTable support = support_table(identification);
    for (const auto& row : support.rows) { // words alone
        rows.push_back(mapped(
            row, [](const ResultTable::Value& word) { return std::get<std::string>(word); }));
    }
    text += format_table(support.columns, rows);

    if (best.equivalents.size() > 1) {
        text += fmt::format(
            "\n{} caches miss alike on every walk, so that the walks cannot tell them apart:\n",
            best.equivalents.size());
        for (std::size_t i = 0; i < std::min(shown_equivalents, best.equivalents.size()); ++i) {
            text += "  " + to_text(best.equivalents[i]) + "\n";
        }
        text += best.equivalents.size() > shown_equivalents ? "  ... (--json lists more)\n" : "";
    }
    text += "\nworst walks\n";
    rows.clear();
    for (const std::size_t i : worst_walks(measured, best)) {
        rows.push_back(
            {std::to_string(measured.walks[i].number),
             fmt::format("{:.1f}", measured.ns_per_read[i]),
             fmt::format("{:.1f}", best.predicted[i]),
             fmt::format("{:+.1f}", 100 * (best.predicted[i] / measured.ns_per_read[i] - 1))});
    }
    return text + format_table({"walk", "measured ns", "fitted ns", "error %"}, rows);
}

} // namespace texelscope::cli
