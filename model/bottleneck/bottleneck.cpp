#include "model/bottleneck/bottleneck.hpp"

#include "model/bottleneck/round_bounds.hpp"
#include "model/bottleneck/served_rounds.hpp"
#include "sim/options/occupancy.hpp"

#include <boost/container/small_vector.hpp>

#include <algorithm>
#include <cmath>

namespace texelscope::model {
namespace {

/// Adds up the rounds of a launch, bound by bound.
class LaunchCycles {
public:
    LaunchCycles(std::size_t inputs, const CachePath& path)
        : by_input_(inputs, 0), decided_(path), bounds_(path)
    {}

    void add(std::size_t input, const RoundBounds& round, double rounds)
    {
        std::size_t slowest = 0;
        const std::span<const double> cycles = round.cycles();
        const std::span<double> sums = bounds_.cycles();
        for (std::size_t i = 0; i < cycles.size(); ++i) {
            slowest = cycles[i] > cycles[slowest] ? i : slowest;
            sums[i] += cycles[i] * rounds;
        }
        by_input_[input] += cycles[slowest] * rounds;
        decided_.cycles()[slowest] += cycles[slowest] * rounds;
    }

    /// Cycles, by_input and the bounds; nothing else of a cost.
    [[nodiscard]] BottleneckCost cost(const CachePath& path, std::optional<double> overlap) const
    {
        BottleneckCost cost;
        cost.by_input = by_input_;
        RoundBounds decided = decided_;
        const std::span<double> parts = decided.cycles();
        for (const double cycles : parts) {
            cost.cycles += cycles;
        }
        if (overlap && cost.cycles > 0) {
            const double slowest_rounds = cost.cycles;
            // Dividing by the largest bound keeps the powers within the range of doubles.
            const double largest = std::ranges::max(bounds_.cycles());
            double sum = 0;
            for (std::size_t i = 0; i < parts.size(); ++i) {
                parts[i] = bounds_.cycles()[i] == 0
                               ? 0
                               : std::pow(bounds_.cycles()[i] / largest, *overlap);
                sum += parts[i];
            }
            cost.cycles = largest * std::pow(sum, 1 / *overlap);
            for (double& part : parts) {
                part *= cost.cycles / sum;
            }
            for (double& cycles : cost.by_input) {
                cycles *= cost.cycles / slowest_rounds;
            }
        }
        cost.latency = parts[RoundBounds::latency];
        cost.issue = parts[RoundBounds::issue];
        cost.texture_unit = parts[RoundBounds::texture_unit];
        cost.memory_bandwidth = parts[bounds_.memory()];
        cost.outstanding_misses = parts[bounds_.outstanding_misses()];
        cost.stores = parts[bounds_.stores()];
        cost.local_memory = parts[bounds_.local_memory()];
        cost.levels.reserve(path.size());
        for (std::size_t level = 0; level < path.size(); ++level) {
            cost.levels.push_back({.name = path[level]->name,
                                   .bandwidth = level == 0 ? 0 : parts[bounds_.bandwidth(level)]});
        }
        return cost;
    }

private:
    std::vector<double> by_input_; ///< cycles of the slowest bound of each round, by input
    RoundBounds decided_;          ///< the same cycles, by the bound that was the slowest
    RoundBounds bounds_;           ///< each bound added up over all rounds
};

} // namespace

double BottleneckCost::cache_bandwidth() const
{
    double sum = 0;
    for (const Level& level : levels) {
        sum += level.bandwidth;
    }
    return sum;
}

double BottleneckCost::misses(std::string_view level) const
{
    const auto found = std::ranges::find(levels, level, &Level::name);
    return found == levels.end() ? 0 : found->misses;
}

BottleneckCost bottleneck_cost(const ReadStream& stream, const WorkGrid& grid,
                               const SimulationOptions& options, const ModelOptions& model)
{
    const Wave wave = wave_of(grid, options);
    if (stream.barriers) {
        require_room_for_group(occupancy(options, wave.group_warps), options);
    }
    const CachePath path(options.machine);
    const FirstLevels first(stream, options);
    const auto fetches_of = [&](const Wave& of) {
        boost::container::small_vector<RoundFetches, 4> fetches;
        for (std::size_t i = 0; i < stream.inputs.size(); ++i) {
            fetches.push_back(round_fetches(stream.inputs[i], of, path, first.sets(first.number(i)),
                                            options.machine));
        }
        return fetches;
    };
    const auto fetches = fetches_of(wave);
    const ReadWork work(stream.code, options, port_share(stream.output, wave, options.machine));
    const AllRounds served = served_rounds(stream, wave, path, first,
                                           {fetches.data(), fetches.size()}, work.made, options);

    // Reads that are waited for together are mixed from all levels.
    const double slower =
        slowest_of_some({served.data(), served.size()}, 1 / work.waits, path, options.machine);
    const LaunchRounds rounds(wave, path, options, work, slower);
    LaunchCycles cycles(stream.inputs.size(), path);
    ByLevel misses{};
    double lookups = 0;
    // The rounds of some waves, `share` of those of the launch.
    const auto add = [&](const Wave& of, const auto& fetched, const LaunchRounds& bounds,
                         double share) {
        for (const ServedRounds& one : served) {
            const RoundFetches& fetch = fetched[one.read->input];
            const double times = one.rounds * share;
            cycles.add(one.read->input, bounds.bounds(fetch, one.level), times);
            lookups += times * of.cores * static_cast<double>(of.warps) * of.filled *
                       fetch.granules_of_warp;
            for (std::size_t level = 0; level < one.level; ++level) {
                misses[level] += times * caches_of(*path[level], of) * fetch.fetched[level];
            }
        }
    };
    const std::optional<Wave> last = last_wave_of(grid, options);
    const double of_last = last ? last->waves / wave.waves : 0;
    add(wave, fetches, rounds, 1 - of_last);
    if (last) {
        add(*last, fetches_of(*last), LaunchRounds(*last, path, options, work, slower), of_last);
    }
    BottleneckCost cost = cycles.cost(path, model.overlap);
    cost.l1_lookups = lookups;
    for (std::size_t level = 0; level < path.size(); ++level) {
        cost.levels[level].misses = misses[level];
    }
    cost.resident_warps = wave.warps;
    cost.waves = wave.waves;
    return cost;
}

} // namespace texelscope::model
