#include "model/identification/identify.hpp"

#include "base/error.hpp"
#include "base/random.hpp"
#include "model/identification/identify_search.hpp"
#include "model/tmmodel/lru_misses.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <set>

namespace texelscope::model {
namespace {

std::vector<double> ratios_of(const std::vector<std::uint32_t>& misses,
                              const MeasuredWalks& measured)
{
    std::vector<double> ratios;
    for (std::size_t i = 0; i < misses.size(); ++i) {
        ratios.push_back(misses[i] / static_cast<double>(measured.walks[i].texels.size()));
    }
    return ratios;
}

std::vector<double> predictions(const LatencyLine& line, const std::vector<double>& ratios)
{
    std::vector<double> ns;
    std::transform(ratios.begin(), ratios.end(), std::back_inserter(ns), line);
    return ns;
}

/// All caches with the same misses on every walk, as places in the outcome's list.
std::vector<std::vector<std::size_t>> same_misses(const std::vector<ScoredCache>& caches)
{
    std::map<std::vector<std::uint32_t>, std::vector<std::size_t>> groups;
    for (std::size_t i = 0; i < caches.size(); ++i) {
        groups[caches[i].misses].push_back(i);
    }
    std::vector<std::vector<std::size_t>> list;
    for (auto& [misses, places] : groups) {
        list.push_back(std::move(places));
    }
    // Not in the order of the misses, which says nothing.
    std::sort(list.begin(), list.end());
    return list;
}

/// The caches of a group, the simplest first: LRU before others, else in the order in which each
/// class has them.
std::vector<TextureCache> equivalents(const std::vector<std::size_t>& group,
                                      const IdentifySearch::Outcome& outcome,
                                      const std::vector<LayoutSpec>& layouts)
{
    std::vector<TextureCache> list;
    for (const std::size_t place : group) {
        const ScoredCache& cache = outcome.caches[place];
        const StructureClass& structures = outcome.classes[cache.structure];
        for (const CacheStructure& member : structures.members) {
            list.push_back(
                member.with(cache.ways, structures.replacement, layouts[member.shape.layout]));
        }
    }
    std::stable_sort(list.begin(), list.end(), [](const TextureCache& a, const TextureCache& b) {
        const auto key = [](const TextureCache& cache) {
            return std::tuple{cache.l1.replacement, cache.l1.index, cache.l1.sector.value > 0};
        };
        return key(a) < key(b);
    });
    return list;
}

/// What one training set chooses, applied to the walks that it has not seen.
struct FoldChoice {
    TextureCache cache;
    std::vector<double> predicted; ///< by walk, for all of them
};
FoldChoice choose(std::size_t training, const IdentifySearch::Outcome& outcome,
                  const IdentifySearch& search, const MeasuredWalks& measured)
{
    const ScoredCache* best = nullptr;
    for (const ScoredCache& cache : outcome.caches) {
        if (outcome.allowed[training][cache.structure] &&
            (best == nullptr || cache.score[training] < best->score[training])) {
            best = &cache;
        }
    }
    const std::vector<double> ratios = ratios_of(best->misses, measured);
    const LatencyLine line =
        fit_latency(ratios, measured.ns_per_read, search.folds().trainings[training]);
    const StructureClass& structures = outcome.classes[best->structure];
    const CacheStructure& member = structures.members.front();
    return {member.with(best->ways, structures.replacement, search.layouts()[member.shape.layout]),
            predictions(line, ratios)};
}

double charged_error(const Explanation& explanation)
{
    return explanation.fit.mape * surcharge(explanation.cache.l1);
}

/// Sets the weights, as described at Explanation.
void weigh(std::vector<Explanation>& explanations, const MeasuredWalks& measured,
           std::uint64_t seed)
{
    constexpr int draws = 1000;
    constexpr double hopeless = 3; // times the least error: such an explanation does not win
    constexpr double equal = 1.01; // times the least error: no worse
    constexpr double rounding = 1e-9;
    const std::size_t walks = measured.size();
    double least_error = explanations.front().fit.mape;
    for (const Explanation& explanation : explanations) {
        least_error = std::min(least_error, explanation.fit.mape);
    }
    std::vector<std::size_t> candidates;
    std::vector<std::vector<double>> errors;
    for (std::size_t i = 0; i < explanations.size(); ++i) {
        if (explanations[i].fit.mape <= hopeless * least_error + rounding) {
            candidates.push_back(i);
            std::vector<double>& of_walks = errors.emplace_back();
            for (std::size_t walk = 0; walk < walks; ++walk) {
                of_walks.push_back(
                    std::abs(explanations[i].predicted[walk] / measured.ns_per_read[walk] - 1));
            }
        }
    }
    std::mt19937_64 random(seed);
    std::vector<double> weight_of_walk(walks);
    std::vector<double> sums(errors.size());
    for (int draw = 0; draw < draws; ++draw) {
        // Exponential variates are a point of the Dirichlet distribution, up to their sum.
        std::generate(weight_of_walk.begin(), weight_of_walk.end(),
                      [&] { return -std::log1p(-uniform_real(random)); });
        for (std::size_t i = 0; i < errors.size(); ++i) {
            sums[i] =
                std::inner_product(errors[i].begin(), errors[i].end(), weight_of_walk.begin(), 0.0);
        }
        const double least = *std::min_element(sums.begin(), sums.end());
        const auto wins = [&](double sum) {
            return sum <= equal * least + rounding * static_cast<double>(walks);
        };
        const auto winners = static_cast<double>(std::count_if(sums.begin(), sums.end(), wins));
        for (std::size_t i = 0; i < errors.size(); ++i) {
            explanations[candidates[i]].weight += wins(sums[i]) ? 1 / (winners * draws) : 0;
        }
    }
}

struct Property {
    const char* name;
    std::function<std::string(const TextureCache&)> value;
};

std::string bytes_text(Bytes bytes)
{
    return fmt::format("{} B", bytes.value);
}

} // namespace

double surcharge(const CacheGeometry& geometry)
{
    constexpr double for_each = 0.01;
    const int traits =
        (geometry.sector.value > 0 ? 1 : 0) + (geometry.index != SetIndex::modulo ? 1 : 0) +
        (geometry.replacement != ReplacementKind::lru ? 1 : 0) +
        (std::has_single_bit(static_cast<std::uint64_t>(geometry.capacity.value)) ? 0 : 1);
    return 1 + for_each * traits;
}

Extent2D fetch_granule(const TextureCache& cache, Extent2D extent, Bytes bytes_per_texel)
{
    const TexelLayout layout(cache.layout, extent, bytes_per_texel);
    const std::int64_t granule = cache.l1.granule().value;
    const auto reach =
        static_cast<std::int32_t>(std::max<std::int64_t>(1, granule / bytes_per_texel.value));
    const std::int64_t first = layout.offset({0, 0}) / granule;
    Extent2D box{1, 1};
    for (std::int32_t y = 0; y < std::min(reach, extent.height); ++y) {
        for (std::int32_t x = 0; x < std::min(reach, extent.width); ++x) {
            if (layout.offset({x, y}) / granule == first) {
                box.width = std::max(box.width, x + 1);
                box.height = std::max(box.height, y + 1);
            }
        }
    }
    return box;
}

std::vector<double> miss_ratios(const TextureCache& cache, Extent2D extent, Bytes bytes_per_texel,
                                const std::vector<TexelWalk>& walks)
{
    validate(cache.l1, "l1");
    const TexelLayout layout(cache.layout, extent, bytes_per_texel);
    std::vector<double> ratios;
    for (const TexelWalk& walk : walks) {
        const WalkLines lines = walk_lines(walk.texels, layout, cache.l1.line, cache.l1.sector);
        ratios.push_back(static_cast<double>(cache_misses(lines, cache.l1)) /
                         static_cast<double>(lines.reads));
    }
    return ratios;
}

bool explains_walks(const Identification& identification)
{
    return 2 * identification.held_out.mape <= identification.error_of_one_latency;
}

Identification identify(const MeasuredWalks& measured, const IdentifyOptions& options,
                        const Progress& progress, const StopToken& stop)
{
    validate(measured);
    if (options.folds < 2 || measured.size() < 2 * static_cast<std::size_t>(options.folds)) {
        throw bad_input(
            fmt::format("{} walks are too few for {} folds", measured.size(), options.folds),
            "walks", "two walks a fold at least, and two folds");
    }
    IdentifySearch search(measured, options, progress, stop);
    const IdentifySearch::Outcome outcome = search.run();

    Identification result;
    result.layouts = static_cast<std::int64_t>(search.layouts().size());
    result.caches = outcome.tried;
    for (const std::vector<std::size_t>& group : same_misses(outcome.caches)) {
        const std::vector<double> ratios =
            ratios_of(outcome.caches[group.front()].misses, measured);
        Explanation explanation;
        explanation.latency =
            fit_latency(ratios, measured.ns_per_read, search.folds().trainings[0]);
        explanation.predicted = predictions(explanation.latency, ratios);
        explanation.fit = fit_error(measured.ns_per_read, explanation.predicted);
        explanation.equivalents = equivalents(group, outcome, search.layouts());
        explanation.cache = explanation.equivalents.front();
        result.explanations.push_back(std::move(explanation));
    }
    std::stable_sort(result.explanations.begin(), result.explanations.end(),
                     [](const Explanation& a, const Explanation& b) {
                         return charged_error(a) < charged_error(b);
                     });
    weigh(result.explanations, measured, options.seed);
    result.support =
        property_support(result.explanations, measured.extent, measured.bytes_per_texel);
    result.explanations.resize(std::min(result.explanations.size(), options.explanations));
    for (Explanation& explanation : result.explanations) {
        explanation.granule =
            fetch_granule(explanation.cache, measured.extent, measured.bytes_per_texel);
    }

    result.held_out_predicted.resize(measured.size());
    for (std::size_t fold = 1; fold < search.folds().trainings.size(); ++fold) {
        const FoldChoice choice = choose(fold, outcome, search, measured);
        result.fold_choices.push_back(choice.cache);
        for (std::size_t walk = 0; walk < measured.size(); ++walk) {
            if (search.folds().fold_of_walk[walk] == fold) {
                result.held_out_predicted[walk] = choice.predicted[walk];
            }
        }
    }
    const std::vector<double> no_misses(measured.size(), 0);
    const std::vector<std::size_t>& all = search.folds().trainings[0];
    result.error_of_one_latency = mean_relative_error(
        fit_latency(no_misses, measured.ns_per_read, all), no_misses, measured.ns_per_read, all);
    result.held_out = fit_error(measured.ns_per_read, result.held_out_predicted);
    return result;
}

std::vector<PropertySupport> property_support(const std::vector<Explanation>& explanations,
                                              Extent2D extent, Bytes bytes_per_texel)
{
    // The layouts' granules take time to find: one look for each layout and size.
    std::map<std::pair<std::string, std::int64_t>, std::string> granules;
    const auto granule = [&](const TextureCache& cache) {
        std::string& text = granules[{to_string(cache.layout), cache.l1.granule().value}];
        if (text.empty()) {
            const Extent2D box = fetch_granule(cache, extent, bytes_per_texel);
            text = fmt::format("{}x{}", box.width, box.height);
        }
        return text;
    };
    const std::array<Property, 9> properties{{
        {"layout", [](const TextureCache& c) { return to_string(c.layout); }},
        {"granule", granule},
        {"capacity", [](const TextureCache& c) { return bytes_text(c.l1.capacity); }},
        {"line", [](const TextureCache& c) { return bytes_text(c.l1.line); }},
        {"sector",
         [](const TextureCache& c) {
             return c.l1.sector.value > 0 ? bytes_text(c.l1.sector) : "none";
         }},
        {"sets", [](const TextureCache& c) { return fmt::format("{}", c.l1.sets()); }},
        {"ways", [](const TextureCache& c) { return fmt::format("{}", c.l1.ways_per_set()); }},
        {"index",
         [](const TextureCache& c) {
             return c.l1.sets() == 1 ? "none" : c.l1.index == SetIndex::modulo ? "modulo" : "xor";
         }},
        {"replacement", [](const TextureCache& c) { return to_string(c.l1.replacement); }},
    }};
    constexpr double least_shown = 0.01;
    constexpr double negligible = 1e-4; // explanations that cannot lift a value above it
    std::vector<PropertySupport> result;
    for (const Property& property : properties) {
        std::map<std::string, double> support;
        for (const Explanation& explanation : explanations) {
            if (explanation.weight < negligible) {
                continue;
            }
            std::set<std::string> values;
            for (const TextureCache& cache : explanation.equivalents) {
                values.insert(property.value(cache));
            }
            for (const std::string& value : values) {
                support[value] += explanation.weight;
            }
        }
        PropertySupport of_property{property.name, {}};
        for (const auto& [text, weight] : support) {
            if (weight >= least_shown) {
                of_property.values.push_back({text, weight});
            }
        }
        std::stable_sort(of_property.values.begin(), of_property.values.end(),
                         [](const auto& a, const auto& b) { return a.support > b.support; });
        result.push_back(std::move(of_property));
    }
    return result;
}

} // namespace texelscope::model
