#include "model/identification/identify_evaluate.hpp"

#include "base/parallel.hpp"
#include "base/random.hpp"
#include "model/tmmodel/lru_misses.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <numeric>

namespace texelscope::model {
namespace {

constexpr int quick_rounds = 6; ///< of reweighting, where many caches are compared

/// Misses and scores of a class with each of the task's ways.
std::vector<ScoredCache> score_all(const StructureClass& structures, const EvaluationTask& task,
                                   const std::vector<WalkLines>& walks, const Panel& panel)
{
    const CacheStructure& structure = structures.members.front();
    std::vector<ScoredCache> columns;
    for (const std::int64_t ways : task.ways) {
        columns.push_back({task.structure, ways, std::vector<std::uint32_t>(walks.size()), {}});
    }
    std::vector<std::vector<std::int64_t>> lru;
    if (structures.replacement == ReplacementKind::lru) {
        lru = lru_misses(walks, structure.shape.sectors(), structure.sets, structure.index,
                         task.ways);
    }
    for (std::size_t walk = 0; walk < walks.size(); ++walk) {
        if (structures.replacement == ReplacementKind::lru) {
            for (std::size_t i = 0; i < columns.size(); ++i) {
                columns[i].misses[walk] = static_cast<std::uint32_t>(lru[walk][i]);
            }
        } else {
            for (ScoredCache& column : columns) {
                const TextureCache cache =
                    structure.with(column.ways, structures.replacement, LayoutSpec{});
                column.misses[walk] =
                    static_cast<std::uint32_t>(cache_misses(walks[walk], cache.l1));
            }
        }
    }
    std::vector<float> errors;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        // More ways than are ever used change nothing.
        const bool repeats = i > 0 && columns[i].misses == columns[i - 1].misses;
        errors = repeats ? errors : scores(panel, columns[i].misses, quick_rounds);
        columns[i].score = errors;
        const double factor =
            surcharge(structure.with(columns[i].ways, structures.replacement, LayoutSpec{}).l1);
        for (float& score : columns[i].score) {
            score *= static_cast<float>(factor);
        }
    }
    return columns;
}

/// The best few of them in the view of each training set, and those that equal the best one.
std::vector<ScoredCache> keep_best(std::vector<ScoredCache> columns, std::size_t trainings)
{
    constexpr std::size_t kept_of_a_class = 4;
    std::vector<bool> keep(columns.size(), false);
    for (std::size_t training = 0; training < trainings; ++training) {
        std::vector<std::size_t> order(columns.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            return columns[a].score[training] < columns[b].score[training];
        });
        for (std::size_t i = 0; i < order.size(); ++i) {
            keep[order[i]] = keep[order[i]] || i < kept_of_a_class ||
                             columns[order[i]].misses == columns[order.front()].misses;
        }
    }
    std::vector<ScoredCache> kept;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (keep[i]) {
            kept.push_back(std::move(columns[i]));
        }
    }
    return kept;
}

} // namespace

Folds make_folds(std::size_t walks, int folds, std::uint64_t seed)
{
    std::mt19937_64 random(seed);
    const std::vector<std::size_t> order = shuffled_indices(random, walks);
    const auto count = static_cast<std::size_t>(folds);
    Folds result;
    result.fold_of_walk.resize(walks);
    for (std::size_t place = 0; place < walks; ++place) {
        result.fold_of_walk[order[place]] = 1 + place % count;
    }
    result.trainings.resize(count + 1);
    for (std::size_t walk = 0; walk < walks; ++walk) {
        for (std::size_t training = 0; training <= count; ++training) {
            if (result.fold_of_walk[walk] != training) {
                result.trainings[training].push_back(walk);
            }
        }
    }
    return result;
}

Panel make_panel(std::vector<std::size_t> walks, const MeasuredWalks& measured, const Folds& folds)
{
    Panel panel{
        std::move(walks), {}, {}, std::vector<std::vector<std::size_t>>(folds.trainings.size())};
    for (std::size_t place = 0; place < panel.walks.size(); ++place) {
        const std::size_t walk = panel.walks[place];
        panel.ns.push_back(measured.ns_per_read[walk]);
        panel.reads.push_back(static_cast<double>(measured.walks[walk].texels.size()));
        for (std::size_t training = 0; training < folds.trainings.size(); ++training) {
            if (folds.fold_of_walk[walk] != training) {
                panel.chosen[training].push_back(place);
            }
        }
    }
    return panel;
}

std::vector<float> scores(const Panel& panel, std::span<const std::uint32_t> misses, int rounds)
{
    std::vector<double> ratios(misses.size());
    for (std::size_t i = 0; i < misses.size(); ++i) {
        ratios[i] = misses[i] / panel.reads[i];
    }
    std::vector<float> result;
    for (const std::vector<std::size_t>& chosen : panel.chosen) {
        const LatencyLine line = fit_latency(ratios, panel.ns, chosen, rounds);
        result.push_back(static_cast<float>(mean_relative_error(line, ratios, panel.ns, chosen)));
    }
    return result;
}

std::vector<std::int64_t> ways_to_try(std::int64_t most)
{
    std::vector<std::int64_t> ways;
    std::int64_t step = 1;
    for (std::int64_t next = 1; next <= most; next += step) {
        ways.push_back(next);
        step = next == 16 * step ? 2 * step : step;
    }
    return ways;
}

Survivors best_classes(const std::vector<ScoredCache>& caches, std::size_t classes,
                       std::size_t trainings, std::size_t count, const Survivors& allowed)
{
    Survivors survivors(trainings, std::vector<bool>(classes, false));
    for (std::size_t training = 0; training < trainings; ++training) {
        std::vector<float> best(classes, std::numeric_limits<float>::infinity());
        for (const ScoredCache& cache : caches) {
            if (allowed.empty() || allowed[training][cache.structure]) {
                best[cache.structure] = std::min(best[cache.structure], cache.score[training]);
            }
        }
        std::vector<std::size_t> order(classes);
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::stable_sort(order.begin(), order.end(),
                         [&](std::size_t a, std::size_t b) { return best[a] < best[b]; });
        for (std::size_t i = 0; i < std::min(count, classes); ++i) {
            survivors[training][order[i]] = best[order[i]] < std::numeric_limits<float>::infinity();
        }
    }
    return survivors;
}

std::vector<EvaluationTask> all_ways(const std::vector<StructureClass>& classes,
                                     Bytes most_capacity)
{
    std::vector<EvaluationTask> tasks;
    for (std::size_t i = 0; i < classes.size(); ++i) {
        const CacheStructure& simplest = classes[i].members.front();
        const std::int64_t most = most_capacity.value / (simplest.shape.line.value * simplest.sets);
        if (most > 0) {
            tasks.push_back({i, ways_to_try(most)});
        }
    }
    return tasks;
}

std::vector<ScoredCache> CacheEvaluator::operator()(const std::vector<StructureClass>& classes,
                                                    const std::vector<EvaluationTask>& tasks,
                                                    const Panel& panel,
                                                    const std::function<void(double)>& done)
{
    // Tasks of one shape follow each other and share its lines.
    const auto shape_key = [&](const EvaluationTask& task) {
        const CacheShape& shape = classes[task.structure].members.front().shape;
        return std::array<std::int64_t, 3>{static_cast<std::int64_t>(shape.layout),
                                           shape.line.value, shape.sector.value};
    };
    std::map<std::array<std::int64_t, 3>, std::vector<std::size_t>> by_shape;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        by_shape[shape_key(tasks[i])].push_back(i);
    }
    std::vector<std::vector<std::size_t>> batches;
    constexpr std::size_t most_of_a_batch = 16; // so that threads share the work evenly
    for (const auto& [key, list] : by_shape) {
        for (std::size_t i = 0; i < list.size(); i += most_of_a_batch) {
            const auto first = list.begin() + static_cast<std::ptrdiff_t>(i);
            batches.emplace_back(first, first + static_cast<std::ptrdiff_t>(
                                                    std::min(most_of_a_batch, list.size() - i)));
        }
    }

    std::vector<std::vector<ScoredCache>> results(tasks.size());
    parallel_for(
        batches.size(), threads_,
        [&](std::size_t batch) {
            const std::vector<WalkLines> walks = finder_.lines_of(
                classes[tasks[batches[batch].front()].structure].members.front().shape,
                panel.walks);
            for (const std::size_t task : batches[batch]) {
                results[task] =
                    keep_best(score_all(classes[tasks[task].structure], tasks[task], walks, panel),
                              panel.chosen.size());
            }
        },
        stop_,
        [&](std::size_t finished) {
            if (done) {
                done(static_cast<double>(finished) / static_cast<double>(batches.size()));
            }
        });
    std::vector<ScoredCache> all;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        tried_ += static_cast<std::int64_t>(tasks[i].ways.size());
        std::move(results[i].begin(), results[i].end(), std::back_inserter(all));
    }
    return all;
}

} // namespace texelscope::model
