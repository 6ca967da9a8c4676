#include "workbench/probes/identification_tables.hpp"

#include "base/number_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>

namespace texelscope::workbench::probes {
namespace {

std::string size_text(Bytes bytes)
{
    return bytes.value >= 1024 && bytes.value % 1024 == 0
               ? fmt::format("{} KiB", bytes.value / 1024)
               : fmt::format("{} B", bytes.value);
}

std::string index_name(SetIndex index)
{
    return index == SetIndex::modulo ? "modulo" : "xor";
}

std::string percent(double fraction, int digits = 2)
{
    return fmt::format("{:.{}f} %", 100 * fraction, digits);
}

double rounded(double value, int digits)
{
    return std::stod(fmt::format("{:.{}f}", value, digits));
}

std::string support_text(const PropertySupport& property)
{
    constexpr std::size_t most = 4;
    std::string text;
    for (std::size_t i = 0; i < std::min(most, property.values.size()); ++i) {
        const auto& value = property.values[i];
        text += fmt::format("{}{} ({:.2f})", i > 0 ? ", " : "", value.text, value.support);
    }
    return text + (property.values.size() > most
                       ? fmt::format(", {} more", property.values.size() - most)
                       : std::string());
}

const std::vector<std::string> cache_columns{"L1",   "line",  "sector",      "ways",
                                             "sets", "index", "replacement", "layout"};

void add_cache(std::vector<ResultTable::Value>& row, const TextureCache& cache)
{
    const CacheGeometry& l1 = cache.l1;
    const bool one_set = l1.sets() == 1;
    row.insert(row.end(),
               {size_text(l1.capacity), size_text(l1.line),
                l1.sector.value > 0 ? size_text(l1.sector) : std::string("-"),
                static_cast<std::int64_t>(l1.ways_per_set()), static_cast<std::int64_t>(l1.sets()),
                one_set ? std::string("-") : index_name(l1.index), to_string(l1.replacement),
                to_string(cache.layout)});
}

} // namespace

std::string to_text(const TextureCache& cache)
{
    const CacheGeometry& l1 = cache.l1;
    std::string text = fmt::format("{}; {}, lines of {}", to_string(cache.layout),
                                   size_text(l1.capacity), size_text(l1.line));
    text += l1.sector.value > 0 ? fmt::format(" with sectors of {}", size_text(l1.sector)) : "";
    text += l1.sets() == 1 ? ", fully associative"
                           : fmt::format(", {} ways, {} sets, {} index", l1.ways, l1.sets(),
                                         index_name(l1.index));
    return text + ", " + to_string(l1.replacement);
}

std::string identification_summary(const MeasuredWalks& measured,
                                   const Identification& identification)
{
    const Explanation& best = identification.explanations.front();
    std::string text = fmt::format("{} walks, {} reads; {} layouts and {} caches tried\n\n",
                                   measured.size(), count_text(measured.reads()),
                                   identification.layouts, count_text(identification.caches));
    std::string open;
    for (const PropertySupport& property : identification.support) {
        if (!property.determined()) {
            open += (open.empty() ? "" : ", ") + property.property;
        }
    }
    text += to_text(best.cache) + "\n";
    text += open.empty() ? "" : "the walks leave open: " + open + "\n";
    text +=
        fmt::format("a fetch brings {}x{} texels; a hit takes {:.1f} ns, a miss {:.1f} ns more\n",
                    best.granule.width, best.granule.height, best.latency.hit, best.latency.miss);
    text += fmt::format("error {} (worst walk {}, R2 {:.4f}); held out, everything chosen anew in "
                        "each of {} folds: {} "
                        "(worst {})\n",
                        percent(best.fit.mape), percent(best.fit.worst, 1), best.fit.r2,
                        identification.fold_choices.size(), percent(identification.held_out.mape),
                        percent(identification.held_out.worst, 1));
    return text +
           (explains_walks(identification)
                ? ""
                : fmt::format(
                      "no structure explains these walks: one latency for all of them errs by {}\n",
                      percent(identification.error_of_one_latency)));
}

ResultTable explanations_table(const Identification& identification)
{
    ResultTable table{{"error %", "worst %", "weight", "alike"}, {}};
    table.columns.insert(table.columns.end(), cache_columns.begin(), cache_columns.end());
    table.columns.insert(table.columns.end(), {"fetch", "hit ns", "miss ns more"});
    for (const Explanation& explanation : identification.explanations) {
        std::vector<ResultTable::Value> row{
            rounded(100 * explanation.fit.mape, 3), rounded(100 * explanation.fit.worst, 1),
            rounded(explanation.weight, 3),
            static_cast<std::int64_t>(explanation.equivalents.size())};
        add_cache(row, explanation.cache);
        row.insert(row.end(),
                   {fmt::format("{}x{}", explanation.granule.width, explanation.granule.height),
                    rounded(explanation.latency.hit, 1), rounded(explanation.latency.miss, 1)});
        table.rows.push_back(std::move(row));
    }
    return table;
}

ResultTable support_table(const Identification& identification)
{
    ResultTable table{{"property", "", "values"}, {}};
    for (const PropertySupport& property : identification.support) {
        table.rows.push_back({property.property,
                              std::string(property.determined() ? "determined" : "open"),
                              support_text(property)});
    }
    return table;
}

ResultTable alike_table(const Identification& identification)
{
    ResultTable table{cache_columns, {}};
    for (const TextureCache& cache : identification.explanations.front().equivalents) {
        add_cache(table.rows.emplace_back(), cache);
    }
    return table;
}

ResultTable next_walks_table(const Identification& identification, const MeasuredWalks& measured,
                             const std::vector<TexelWalk>& walks)
{
    constexpr std::size_t most_explanations = 10;
    const std::size_t looked_at = std::min(most_explanations, identification.explanations.size());
    std::vector<std::vector<double>> expected; // by explanation and walk
    for (std::size_t i = 0; i < looked_at; ++i) {
        const Explanation& explanation = identification.explanations[i];
        expected.push_back(
            miss_ratios(explanation.cache, measured.extent, measured.bytes_per_texel, walks));
        for (double& value : expected.back()) {
            value = explanation.latency(value);
        }
    }
    ResultTable table{{"walk", "reads", "texels", "best ns", "least ns", "most ns", "apart %"}, {}};
    for (std::size_t walk = 0; walk < walks.size(); ++walk) {
        double least = expected.front()[walk], most = least;
        for (const std::vector<double>& by_walk : expected) {
            least = std::min(least, by_walk[walk]);
            most = std::max(most, by_walk[walk]);
        }
        std::set<std::pair<std::int32_t, std::int32_t>> texels;
        for (const Texel& texel : walks[walk].texels) {
            texels.insert({texel.x, texel.y});
        }
        table.rows.push_back({walks[walk].number, std::ssize(walks[walk].texels),
                              std::ssize(texels), rounded(expected.front()[walk], 1),
                              rounded(least, 1), rounded(most, 1),
                              rounded(100 * (most - least) / expected.front()[walk], 1)});
    }
    std::ranges::stable_sort(table.rows, std::ranges::greater{},
                             [](const auto& row) { return std::get<double>(row.back()); });
    return table;
}

} // namespace texelscope::workbench::probes
