#include "model/identification/identify_panel.hpp"

#include "base/random.hpp"

namespace texelscope::model {

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
    Panel panel{std::move(walks), {}, {}, std::vector<std::vector<std::size_t>>(folds.trainings.size())};
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

} // namespace texelscope::model
