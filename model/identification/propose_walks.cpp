#include "model/identification/propose_walks.hpp"

#include "base/parallel.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace texelscope::model {
namespace {

/// A cache that the next walks should confirm or exclude.
struct Rival {
    TextureCache cache;
    LatencyLine latency;
    double weight = 0;
};

/// Some of the caches that the best explanation cannot tell apart, from the smallest to the
/// largest, each with its layouts.
std::vector<TextureCache> spread_over(std::vector<TextureCache> alike, std::size_t count)
{
    std::stable_sort(alike.begin(), alike.end(), [](const TextureCache& a, const TextureCache& b) {
        const auto key = [](const TextureCache& cache) {
            return std::tuple{cache.l1.capacity, cache.l1.line, cache.l1.granule(), cache.l1.sets(),
                              cache.l1.index};
        };
        return key(a) < key(b);
    });
    std::vector<TextureCache> some;
    for (std::size_t i = 0; i < std::min(count, alike.size()); ++i) {
        some.push_back(alike[i * alike.size() / std::min(count, alike.size())]);
    }
    return some;
}

std::vector<Rival> rivals_of(const Identification& identification)
{
    constexpr std::size_t most_equivalents = 48; // of the best explanation
    constexpr double steepness = 10;             // an error twice the least counts e^-10
    const Explanation& best = identification.explanations.front();
    const double scale = std::max(best.fit.mape, 0.0005);
    std::vector<Rival> rivals;
    for (const Explanation& explanation : identification.explanations) {
        const double weight = std::exp(-steepness * (explanation.fit.mape - best.fit.mape) / scale);
        for (TextureCache& cache :
             spread_over(explanation.equivalents, &explanation == &best ? most_equivalents : 1)) {
            rivals.push_back({std::move(cache), explanation.latency, weight});
        }
    }
    return rivals;
}

} // namespace

std::vector<TexelWalk> propose_walks(const Identification& identification,
                                     const ProposeOptions& options, const StopToken& stop)
{
    std::mt19937_64 random(options.seed);
    std::vector<TexelWalk> pool = design_walks(random, options.design, options.pool);
    const std::vector<Rival> rivals = rivals_of(identification);
    std::vector<std::vector<double>> predicted(rivals.size()); // [rival][walk]
    parallel_for(
        rivals.size(), options.threads,
        [&](std::size_t i) {
            for (const double ratio : miss_ratios(rivals[i].cache, options.design.extent,
                                                  options.bytes_per_texel, pool)) {
                predicted[i].push_back(rivals[i].latency(ratio));
            }
        },
        stop);

    const double error = std::max(identification.explanations.front().fit.mape, 0.01);
    const auto distance = [&](std::size_t a, std::size_t b, std::size_t walk) {
        const double difference = (predicted[a][walk] - predicted[b][walk]) / error;
        const double mean = (predicted[a][walk] + predicted[b][walk]) / 2;
        return difference * difference / (mean * mean);
    };
    struct Pair {
        std::size_t a;
        std::size_t b;
        double weight;
        double apart; ///< sum of distances over the walks chosen so far
    };
    constexpr double negligible = 1e-3;
    std::vector<Pair> pairs;
    for (std::size_t a = 0; a < rivals.size(); ++a) {
        for (std::size_t b = a + 1; b < rivals.size(); ++b) {
            const double weight = rivals[a].weight * rivals[b].weight;
            if (weight > negligible) {
                pairs.push_back({a, b, weight, 0});
            }
        }
    }
    constexpr double enough = 8;
    std::vector<TexelWalk> chosen;
    std::vector<bool> taken(pool.size(), false);
    while (chosen.size() < std::min(options.count, pool.size())) {
        std::vector<double> gains(pool.size(), -1);
        parallel_for(
            pool.size(), options.threads,
            [&](std::size_t walk) {
                if (taken[walk]) {
                    return;
                }
                double gain = 0;
                for (const Pair& pair : pairs) {
                    gain += pair.weight * std::exp(-pair.apart / enough) *
                            -std::expm1(-distance(pair.a, pair.b, walk) / enough);
                }
                gains[walk] = gain;
            },
            stop);
        const auto best =
            static_cast<std::size_t>(std::max_element(gains.begin(), gains.end()) - gains.begin());
        for (Pair& pair : pairs) {
            pair.apart += distance(pair.a, pair.b, best);
        }
        taken[best] = true;
        chosen.push_back(std::move(pool[best]));
        chosen.back().number = options.first_number + static_cast<std::int64_t>(chosen.size()) - 1;
    }
    return chosen;
}

} // namespace texelscope::model
