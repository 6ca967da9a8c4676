#include "model/identification/identify_search.hpp"

#include "model/tmmodel/lru_misses.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <utility>

namespace texelscope::model {
namespace {

constexpr std::int64_t most_sets = 4096;

std::vector<std::int64_t> powers_of_two(std::int64_t most)
{
    std::vector<std::int64_t> powers;
    for (std::int64_t power = 1; power <= most; power *= 2) {
        powers.push_back(power);
    }
    return powers;
}

} // namespace

bool is_kept(const Survivors& kept, std::size_t place)
{
    return std::any_of(kept.begin(), kept.end(),
                       [&](const std::vector<bool>& training) { return training[place]; });
}

Survivors inherited(const std::vector<StructureClass>& parts, const Survivors& kept)
{
    Survivors survivors(kept.size());
    for (std::size_t training = 0; training < kept.size(); ++training) {
        for (const StructureClass& part : parts) {
            survivors[training].push_back(kept[training][part.origin]);
        }
    }
    return survivors;
}

std::vector<std::size_t> best_class_of_origin(const std::vector<ScoredCache>& caches,
                                              const std::vector<StructureClass>& classes,
                                              std::size_t origins, std::size_t training)
{
    std::vector<float> least(origins, std::numeric_limits<float>::infinity());
    std::vector<std::size_t> best(origins, 0);
    for (const ScoredCache& cache : caches) {
        const std::size_t origin = classes[cache.structure].origin;
        if (cache.score[training] < least[origin]) {
            least[origin] = cache.score[training];
            best[origin] = cache.structure;
        }
    }
    return best;
}

ShapeKey key_of(const CacheStructure& structure)
{
    return {static_cast<std::int64_t>(structure.shape.layout), structure.shape.line.value,
            structure.shape.sector.value};
}

bool has_key(const StructureClass& structures, const std::set<ShapeKey>& keys)
{
    return std::any_of(
        structures.members.begin(), structures.members.end(),
        [&](const CacheStructure& member) { return keys.count(key_of(member)) > 0; });
}

std::vector<StructureClass> only(const std::vector<StructureClass>& shapes,
                                 const std::set<ShapeKey>& wanted)
{
    std::vector<StructureClass> kept;
    for (const StructureClass& shape : shapes) {
        StructureClass some;
        std::copy_if(
            shape.members.begin(), shape.members.end(), std::back_inserter(some.members),
            [&](const CacheStructure& member) { return wanted.count(key_of(member)) > 0; });
        if (!some.members.empty()) {
            kept.push_back(std::move(some));
        }
    }
    return kept;
}

IdentifySearch::IdentifySearch(const MeasuredWalks& measured, const IdentifyOptions& options,
                               const Progress& progress, const StopToken& stop)
    : measured_(measured), options_(options), progress_(progress),
      folds_(make_folds(measured.size(), options.folds, options.seed)),
      finder_(measured, options, stop), evaluator_(finder_, options.threads, stop)
{}

std::vector<ScoredCache> IdentifySearch::evaluate(const std::string& stage, double from, double to,
                                                  const std::vector<StructureClass>& classes,
                                                  const std::vector<EvaluationTask>& tasks,
                                                  const Panel& panel)
{
    return evaluator_(classes, tasks, panel, [&](double fraction) {
        if (progress_) {
            progress_(stage, from + (to - from) * fraction);
        }
    });
}

std::vector<std::size_t>
IdentifySearch::choose_walks(const std::vector<StructureClass>& shapes) const
{
    std::vector<std::size_t> order(measured_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    // By walk: how far its misses per read differ between small and large caches, summed over a few
    // shapes.
    std::vector<double> spreads(measured_.size(), 0);
    constexpr std::size_t looked_at = 6;
    for (std::size_t i = 0; i < looked_at; ++i) {
        const CacheShape& shape = shapes[i * shapes.size() / looked_at].members.front().shape;
        const std::vector<WalkLines> lines = finder_.lines_of(shape, order);
        for (const std::int64_t sets : {1, 32}) {
            for (const std::int64_t lines_held : {32, 256, 2048}) {
                const std::vector<std::int64_t> ways{lines_held / sets, 4 * lines_held / sets};
                const auto misses =
                    lru_misses(lines, shape.sectors(), sets, SetIndex::modulo, ways);
                for (std::size_t walk = 0; walk < lines.size(); ++walk) {
                    spreads[walk] += static_cast<double>(misses[walk][0] - misses[walk][1]) /
                                     static_cast<double>(lines[walk].reads);
                }
            }
        }
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return spreads[a] > spreads[b]; });
    return order;
}

Panel IdentifySearch::panel_of(const std::vector<std::size_t>& order, std::int64_t reads) const
{
    constexpr std::size_t fewest_walks = 16;
    std::vector<std::size_t> walks;
    std::int64_t sum = 0;
    for (const std::size_t walk : order) {
        if (walks.size() >= fewest_walks && sum >= reads) {
            break;
        }
        walks.push_back(walk);
        sum += static_cast<std::int64_t>(measured_.walks[walk].texels.size());
    }
    std::sort(walks.begin(), walks.end());
    return make_panel(std::move(walks), measured_, folds_);
}

IdentifySearch::Policies IdentifySearch::other_policies(const Outcome& outcome) const
{
    const std::size_t trainings = folds_.trainings.size();
    const std::size_t lru_classes = outcome.classes.size();
    const Survivors base = best_classes(outcome.caches, lru_classes, trainings,
                                        options_.structures / 2, outcome.allowed);
    Policies result{{}, {}, Survivors(trainings)};
    for (std::size_t i = 0; i < lru_classes; ++i) {
        // The range of the ways that did best with LRU, for any training set that has kept the
        // class.
        std::int64_t least = std::numeric_limits<std::int64_t>::max();
        std::int64_t most = 0;
        for (std::size_t training = 0; training < trainings; ++training) {
            if (!base[training][i]) {
                continue;
            }
            const ScoredCache* best = nullptr;
            for (const ScoredCache& cache : outcome.caches) {
                if (cache.structure == i &&
                    (best == nullptr || cache.score[training] < best->score[training])) {
                    best = &cache;
                }
            }
            least = std::min(least, best->ways);
            most = std::max(most, best->ways);
        }
        if (most == 0) {
            continue;
        }
        const CacheStructure& simplest = outcome.classes[i].members.front();
        const std::int64_t bound =
            options_.most_capacity.value / (simplest.shape.line.value * simplest.sets);
        for (const ReplacementRow& policy : replacement_policies()) {
            if (policy.kind == ReplacementKind::lru) {
                continue; // what the classes were found with
            }
            EvaluationTask task{result.classes.size(), {}};
            for (const std::int64_t ways : ways_to_try(std::min(bound, 2 * most))) {
                const bool tree = (ways & (ways - 1)) == 0;
                if (ways > 1 && 2 * ways >= least && (tree || !policy.power_of_two_ways)) {
                    task.ways.push_back(ways);
                }
            }
            if (!task.ways.empty()) {
                result.tasks.push_back(std::move(task));
                result.classes.push_back({outcome.classes[i].members, policy.kind, i});
                for (std::size_t training = 0; training < trainings; ++training) {
                    result.allowed[training].push_back(base[training][i]);
                }
            }
        }
    }
    return result;
}

void IdentifySearch::add_policies(Outcome& outcome, const Panel& panel, const Panel& everything)
{
    const std::size_t trainings = folds_.trainings.size();
    const std::size_t lru_classes = outcome.classes.size();
    const Policies policies = other_policies(outcome);
    const std::vector<ScoredCache> on_panel =
        evaluate("other replacement policies", 0.75, 0.9, policies.classes, policies.tasks, panel);
    const Survivors kept = best_classes(on_panel, policies.classes.size(), trainings,
                                        options_.structures / 2, policies.allowed);

    // On all walks, with the ways that the panel left.
    std::vector<EvaluationTask> last;
    std::map<std::size_t, std::size_t> place_of_class;
    for (const ScoredCache& cache : on_panel) {
        if (!is_kept(kept, cache.structure)) {
            continue;
        }
        const auto [place, is_new] = place_of_class.emplace(cache.structure, last.size());
        if (is_new) {
            last.push_back({cache.structure, {}});
        }
        last[place->second].ways.push_back(cache.ways);
    }
    std::vector<ScoredCache> scored = evaluate("other replacement policies on all walks", 0.9, 1,
                                               policies.classes, last, everything);
    for (ScoredCache& cache : scored) {
        cache.structure += lru_classes;
        outcome.caches.push_back(std::move(cache));
    }
    outcome.classes.insert(outcome.classes.end(), policies.classes.begin(), policies.classes.end());
    for (std::size_t training = 0; training < trainings; ++training) {
        outcome.allowed[training].insert(outcome.allowed[training].end(), kept[training].begin(),
                                         kept[training].end());
    }
}

IdentifySearch::Outcome IdentifySearch::run()
{
    const std::size_t trainings = folds_.trainings.size();
    std::vector<std::size_t> walks(measured_.size());
    std::iota(walks.begin(), walks.end(), std::size_t{0});
    const Panel everything = make_panel(walks, measured_, folds_);

    if (progress_) {
        progress_("layouts and lines", 0);
    }
    const std::vector<StructureClass> shapes = finder_.shapes();
    const std::vector<std::size_t> order = choose_walks(shapes);

    // A few numbers of sets tell which layouts, lines and sectors are worth a closer look. A fully
    // associative cache alone would not, where most walks are about conflicts. Of each good shape
    // at least one structure goes on.
    const Panel scouts = panel_of(order, options_.panel_reads / 4);
    const std::vector<StructureClass> scouted =
        finder_.with_sets(shapes, {1, 4, 32, 256}, scouts.walks);
    std::vector<ScoredCache> seen = evaluate("lines and layouts", 0.15, 0.35, scouted,
                                             all_ways(scouted, options_.most_capacity), scouts);
    const Survivors good = best_classes(seen, scouted.size(), trainings, 3 * options_.shapes);
    std::vector<ScoredCache> by_shape = seen;
    for (ScoredCache& cache : by_shape) {
        cache.structure = scouted[cache.structure].origin;
    }
    const Survivors good_shapes =
        best_classes(by_shape, shapes.size(), trainings, options_.shapes / 2);
    // by training set: what it takes a closer look at
    std::vector<std::set<ShapeKey>> keys(trainings);
    std::set<ShapeKey> all_keys;
    for (std::size_t training = 0; training < trainings; ++training) {
        const std::vector<std::size_t> best_of_shape =
            best_class_of_origin(seen, scouted, shapes.size(), training);
        for (std::size_t i = 0; i < scouted.size(); ++i) {
            const std::size_t origin = scouted[i].origin;
            if (good[training][i] ||
                (good_shapes[training][origin] && best_of_shape[origin] == i)) {
                for (const CacheStructure& member : scouted[i].members) {
                    keys[training].insert(key_of(member));
                    all_keys.insert(key_of(member));
                }
            }
        }
    }

    const Panel panel = panel_of(order, options_.panel_reads);
    std::vector<StructureClass> structures;
    std::vector<ScoredCache> on_panel;
    Survivors allowed(trainings);
    const auto look_closer = [&](double from, double to) {
        const std::vector<StructureClass> added =
            finder_.with_sets(only(shapes, all_keys), powers_of_two(most_sets), panel.walks);
        std::vector<ScoredCache> scored =
            evaluate("sets", from, to, added, all_ways(added, options_.most_capacity), panel);
        for (ScoredCache& cache : scored) {
            cache.structure += structures.size();
        }
        std::move(scored.begin(), scored.end(), std::back_inserter(on_panel));
        for (std::size_t training = 0; training < trainings; ++training) {
            for (const StructureClass& structure : added) {
                allowed[training].push_back(has_key(structure, keys[training]));
            }
        }
        structures.insert(structures.end(), added.begin(), added.end());
    };
    look_closer(0.35, 0.5);

    // Now that the right sets have been tried, all layouts of the shapes that do best.
    std::map<ShapeKey, std::size_t> shape_of;
    for (std::size_t i = 0; i < shapes.size(); ++i) {
        for (const CacheStructure& member : shapes[i].members) {
            shape_of[key_of(member)] = i;
        }
    }
    by_shape.clear();
    for (const ScoredCache& cache : on_panel) {
        by_shape.push_back(cache);
        by_shape.back().structure =
            shape_of.at(key_of(structures[cache.structure].members.front()));
    }
    constexpr std::size_t complete_shapes = 2;
    const Survivors complete = best_classes(by_shape, shapes.size(), trainings, complete_shapes);
    const std::set<ShapeKey> seen_keys = std::exchange(all_keys, {});
    for (std::size_t training = 0; training < trainings; ++training) {
        for (std::size_t i = 0; i < shapes.size(); ++i) {
            for (const CacheStructure& member : shapes[i].members) {
                if (complete[training][i]) {
                    keys[training].insert(key_of(member));
                    if (seen_keys.count(key_of(member)) == 0) {
                        all_keys.insert(key_of(member));
                    }
                }
            }
        }
    }
    // Those that another training set has had looked at already.
    for (std::size_t training = 0; training < trainings; ++training) {
        for (std::size_t i = 0; i < structures.size(); ++i) {
            allowed[training][i] = has_key(structures[i], keys[training]);
        }
    }
    look_closer(0.5, 0.65);
    const Survivors kept =
        best_classes(on_panel, structures.size(), trainings, options_.structures, allowed);

    Outcome outcome;
    std::vector<bool> wanted;
    for (std::size_t i = 0; i < structures.size(); ++i) {
        wanted.push_back(is_kept(kept, i));
    }
    outcome.classes = finder_.split(structures, wanted, everything.walks);
    outcome.allowed = inherited(outcome.classes, kept);
    outcome.caches = evaluate("sets on all walks", 0.65, 0.75, outcome.classes,
                              all_ways(outcome.classes, options_.most_capacity), everything);
    add_policies(outcome, panel, everything);
    outcome.tried = evaluator_.tried();
    return outcome;
}

} // namespace texelscope::model
