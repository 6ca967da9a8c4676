#include "workbench/tuning/reuse_model.hpp"

#include "base/error.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "devices/launch/launch_options.hpp"
#include "devices/launch/limits.hpp"
#include "model/bottleneck/cache_path.hpp"
#include "sim/options/occupancy.hpp"
#include "sim/reuse/lookup_walk.hpp"
#include "sim/reuse/stack_distance.hpp"
#include "sim/schedule/warp_dispatch.hpp"
#include "traces/launch_source.hpp"
#include "workbench/space/part_values.hpp"
#include "workbench/study/study.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace texelscope::workbench::tuning {
namespace {

/// The lookups of one core, access by access. They are kept for the L2, which sees the lookups of
/// several cores in turn.
struct CoreLookups {
    std::vector<std::int32_t> lines;
    std::vector<std::size_t> ends; ///< of each access that touches memory
    std::size_t next = 0;          ///< access that has not had its turn
};

double cycles_to_ns(double cycles, const Timing& timing)
{
    return cycles * 1000 / timing.clock_mhz;
}

} // namespace

ReuseProfile reuse_profile(const TraceSource& source, const SimulationOptions& options,
                           const ReuseExtent& extent, const StopToken& stop)
{
    const CachePath path(options.machine);
    const bool shared = std::ranges::any_of(path, &CacheLevel::shared);
    LookupWalk walk(source, options, stop);
    ReuseProfile profile;
    profile.cores = shared ? std::clamp(extent.cores, 1, options.machine.cores) : 1;
    const LookupWalk::Bounds bounds{extent.accesses, extent.occupancy_groups};
    // Lines of L1 that a line of each level holds, and the distances of its lines.
    std::vector<std::int64_t> ratio;
    std::vector<StackDistanceCounter> counters;
    for (const CacheLevel* level : path) {
        ratio.push_back(
            std::max<std::int64_t>(level->geometry.line / path.front()->geometry.line, 1));
        counters.emplace_back(walk.line_count() / ratio.back() + 1);
    }
    const auto count = [&](bool at_shared, std::int64_t line) {
        for (std::size_t level = 0; level < path.size(); ++level) {
            if (path[level]->shared == at_shared) {
                (void)counters[level].access(line / ratio[level]);
            }
        }
    };
    std::vector<CoreLookups> cores(static_cast<std::size_t>(profile.cores));
    for (int core = 0; core < profile.cores; ++core) {
        CoreLookups& lookups = cores[static_cast<std::size_t>(core)];
        const std::int64_t accesses = walk.run(
            core,
            [&](std::size_t, const LineList& lines) {
                for (const std::int32_t delta : lines.deltas) {
                    if (core == 0) {
                        count(false, lines.first + delta);
                    }
                    if (shared) {
                        lookups.lines.push_back(static_cast<std::int32_t>(lines.first + delta));
                    }
                }
                if (shared) {
                    lookups.ends.push_back(lookups.lines.size());
                }
            },
            bounds);
        if (core == 0) {
            profile.accesses = accesses;
        }
    }
    // Cores take turns at the levels that they share, access by access.
    round_robin(cores.size(), [&](std::size_t core) {
        CoreLookups& lookups = cores[core];
        if (lookups.next == lookups.ends.size()) {
            return false;
        }
        const std::size_t begin = lookups.next == 0 ? 0 : lookups.ends[lookups.next - 1];
        for (std::size_t i = begin; i < lookups.ends[lookups.next]; ++i) {
            count(true, lookups.lines[i]);
        }
        ++lookups.next;
        return true;
    });
    for (StackDistanceCounter& counter : counters) {
        profile.levels.push_back(counter.histogram());
    }
    return profile;
}

// An LRU set holds a line if fewer than `ways` of the `distance` other lines since its last use
// fell into its set. With each line in any of the sets alike, that is P(Binomial(distance, 1 /
// sets) < ways).
double hit_probability(std::int64_t distance, double sets, int ways)
{
    if (distance < 0 || !(sets >= 1) || ways < 1) {
        throw bad_input("a negative distance, or less than one set or way",
                        "set-associative reuse");
    }
    if (distance < ways) {
        return 1;
    }
    if (sets == 1) {
        return 0;
    }
    // Terms of the binomial distribution from its logarithms: powers of many lines would be lost
    // below the least number.
    const double to_set = -std::log(sets);
    const double elsewhere = std::log1p(-1 / sets);
    const auto d = static_cast<double>(distance);
    double term = d * elsewhere; // logarithm
    double sum = 0;
    for (int a = 0; a < ways; ++a) {
        sum += std::exp(term);
        term += std::log((d - a) / (a + 1)) + to_set - elsewhere;
    }
    return std::min(sum, 1.0);
}

double hit_ratio(const ReuseDistanceHistogram& histogram, double sets, int ways)
{
    if (histogram.deeper > 0) {
        throw bad_input("distances were counted up to a depth alone", "set-associative reuse");
    }
    const std::int64_t lookups = histogram.lookups();
    if (lookups == 0) {
        return 0;
    }
    double hits = 0;
    for (std::size_t distance = 0; distance < histogram.counts.size(); ++distance) {
        if (histogram.counts[distance] > 0) {
            const double chance = hit_probability(static_cast<std::int64_t>(distance), sets, ways);
            if (chance < 1e-12) { // it only falls from here on
                break;
            }
            hits += chance * static_cast<double>(histogram.counts[distance]);
        }
    }
    return hits / static_cast<double>(lookups);
}

ReusePrediction predict_by_reuse(const LoopNest& nest, const SimulationOptions& options,
                                 const ReuseModelOptions& model, const StopToken& stop)
{
    SimulationOptions stored = options;
    if (!model.device_layout) {
        stored.machine.layout = NestedLayout{};
    }
    const Launch launch = launch_of(nest);
    const ReuseProfile profile =
        reuse_profile(*make_trace_source(launch), stored, model.extent, stop);

    ReusePrediction prediction;
    const CachePath path(options.machine);
    const double share = static_cast<double>(profile.cores) / options.machine.cores;
    double before = 0; // share of the lookups that hit a level before the one at hand
    double cycles = 0;
    for (std::size_t level = 0; level < path.size(); ++level) {
        const CacheGeometry& cache = path[level]->geometry;
        const auto all_sets = static_cast<double>(cache.sets());
        const double sets = path[level]->shared ? std::max(all_sets * share, 1.0) : all_sets;
        const double so_far = hit_ratio(profile.levels[level], sets, cache.ways_per_set());
        prediction.hits.push_back(std::max(so_far - before, 0.0));
        cycles += prediction.hits.back() * static_cast<double>(path[level]->latency.value);
        before += prediction.hits.back();
    }
    const Timing& timing = options.machine.timing;
    cycles += (1 - before) * static_cast<double>(timing.memory_latency.value);
    prediction.latency.value = cycles_to_ns(cycles, timing);
    const auto warps = static_cast<double>(
        launch.group_count() * ceil_div(launch.group_size(), options.machine.warp_size));
    const double accesses = warps * static_cast<double>(reads_per_item(launch.body));
    const double per_access = profile.accesses == 0
                                  ? 0
                                  : static_cast<double>(profile.levels.front().lookups()) /
                                        static_cast<double>(profile.accesses);
    prediction.lookups = accesses * per_access;
    prediction.walked =
        accesses > 0
            ? std::min(static_cast<double>(profile.accesses) * options.machine.cores / accesses,
                       1.0)
            : 1;
    // Warps that run at the same time hide each other's latency; lookups divided by them give the
    // rounds that are waited for.
    const double at_once =
        std::min(warps, static_cast<double>(options.machine.cores) * occupancy(options).warps);
    prediction.cost = {prediction.lookups * prediction.latency.value / std::max(at_once, 1.0)};
    return prediction;
}

std::vector<std::optional<Nanoseconds>> reuse_costs(const Operator& op, const DeviceProfile& device,
                                                    const ConfigurationSpace& space,
                                                    const ReuseModelOptions& model,
                                                    const std::function<void(double)>& progress,
                                                    const StopToken& stop)
{
    std::vector<std::optional<Nanoseconds>> costs(static_cast<std::size_t>(space.size()));
    for (std::int64_t i = 0; i < space.size(); ++i) {
        check_stop(stop);
        if (progress) {
            progress(static_cast<double>(i) / static_cast<double>(space.size()));
        }
        std::optional<LoopNest> nest;
        try {
            nest = loop_nest(op, space.at(i));
            check_limits(*nest, device);
        } catch (const Error&) {
            continue;
        }
        costs[static_cast<std::size_t>(i)] =
            predict_by_reuse(*nest, options_for(*nest, device), model, stop).cost;
    }
    return costs;
}

Ranking rank_by_reuse_distance(const Operator& op, const DeviceProfile& device,
                               const ConfigurationSpace& space, const ReuseModelOptions& model,
                               std::size_t keep, const std::function<void(double)>& progress,
                               const StopToken& stop)
{
    const auto costs = reuse_costs(op, device, space, model, progress, stop);
    std::vector<std::pair<double, std::int64_t>> ranked;
    for (std::size_t i = 0; i < costs.size(); ++i) {
        if (costs[i]) {
            ranked.emplace_back(costs[i]->value, static_cast<std::int64_t>(i));
        }
    }
    std::sort(ranked.begin(), ranked.end());
    Ranking ranking{space.size(), std::ssize(ranked), {}};
    ranked.resize(keep == 0 ? ranked.size() : std::min(keep, ranked.size()));
    for (const auto& [cost, index] : ranked) {
        ranking.best.push_back({space.at(index), Nanoseconds{cost}});
    }
    return ranking;
}

// The space that PPT-GPU-Mem's baseline searches: access patterns and warp shapes, with the tile
// and work-group of the default configuration.
ConfigurationSpace pattern_space(const Operator& op, const DeviceProfile& device)
{
    const Schedule& schedule = op.default_schedule;
    const auto [bx, by, bz] = schedule.group;
    const std::int32_t lanes = std::min(device.simulation.machine.warp_size, bx * by);
    std::vector<GroupChoice> groups;
    for (std::int32_t wx = 1; wx <= std::min(bx, lanes); ++wx) {
        if (lanes % wx == 0 && bx % wx == 0 && by % (lanes / wx) == 0) {
            groups.push_back({{wx, lanes / wx}, schedule.group});
        }
    }
    ConfigurationSpace space;
    const std::size_t list = space.add_groups(std::move(groups));
    for (const auto& patterns : pattern_choices(all_access_patterns, op.inputs.size())) {
        const KernelChoice kernel{.patterns = patterns,
                                  .tile = schedule.tile,
                                  .unroll = schedule.unroll,
                                  .split = schedule.split};
        try {
            check_limits(loop_nest(op, schedule_of(kernel, {})), device);
            space.add_kernel(kernel, list);
        } catch (const Error&) { // its images are too large
        }
    }
    if (space.size() == 0) {
        throw bad_input("no configuration fits the device", to_string(op) + " on " + device.name,
                        "use a smaller shape");
    }
    return space;
}

} // namespace texelscope::workbench::tuning
