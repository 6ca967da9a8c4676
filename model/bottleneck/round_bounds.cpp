#include "model/bottleneck/round_bounds.hpp"

#include <algorithm>
#include <cmath>

namespace texelscope::model {
namespace {

/// Of the level, or of memory where it is the path's length.
double latency_of(std::size_t level, const CachePath& path, const Machine& machine)
{
    return static_cast<double>(
        (level < path.size() ? path[level]->latency : machine.timing.memory_latency).value);
}

double granule_of(const CacheLevel& level)
{
    return static_cast<double>(level.geometry.granule().value);
}

} // namespace

ReadWork::ReadWork(const WarpCode::Totals& code, const SimulationOptions& options)
{
    if (code.reads > 0) {
        made = code.reads / (code.reads + code.skipped);
        waits = code.waits / code.reads;
        cycles = code.cycles / code.reads;
        alone = code.alone / code.reads;
        local = code.local / code.reads;
        stored =
            (code.stored + spilled_bytes(options) * options.machine.warp_size * code.operations) /
            code.reads;
    }
}

RoundBounds round_bounds(const RoundFetches& fetch, const Wave& wave, const CachePath& path,
                         const SimulationOptions& options, const ReadWork& work, double slower,
                         std::size_t level)
{
    const Machine& machine = options.machine;
    const Timing& timing = machine.timing;
    const auto warps = static_cast<double>(wave.warps);
    const bool from_memory = level == path.size();
    // The first granule's turn at the texture unit is part of the latency.
    const double turn = timing.texture_lanes ? 1 : 1 / timing.lookups_per_cycle;
    const double misses = level == 0 ? 0 : fetch.fetched.front();
    const double latency = latency_of(level, path, machine);
    // Partitions that have a warp to issue from.
    const double busy = std::min(warps, static_cast<double>(machine.instructions.partitions));
    // All granules that a warp fetches pass the port before the warp goes on, even if no other warp
    // uses the port; the first of them is part of the latency.
    const double own = (fetch.granules_of_warp - 1) * granule_of(*path.front());
    const double transfer = level == 0    ? 0
                            : from_memory ? own / timing.memory_bytes_per_cycle
                                          : own / path[level]->bytes_per_cycle;
    RoundBounds bounds;
    auto& cycles = bounds.cycles;
    cycles[RoundBounds::latency] =
        latency * slower * work.waits + std::max(fetch.unit_cycles - turn, transfer) + work.alone;
    cycles[RoundBounds::issue] = warps * work.cycles / busy;
    cycles[RoundBounds::texture_unit] = warps * fetch.unit_cycles;
    // What the caches of the level before fetch passes the port of each level up to the one that
    // serves the round.
    for (std::size_t k = 1; k <= std::min(level, path.size()); ++k) {
        const double asking = k == path.size() || path[k]->shared
                                  ? caches_of(*path[k - 1], wave)
                                  : 1; // a core's own level serves that core
        const double bytes = fetch.fetched[k - 1] * asking * granule_of(*path[k - 1]);
        if (k == path.size()) {
            cycles[RoundBounds::memory] = bytes / timing.memory_bytes_per_cycle;
        } else {
            cycles[RoundBounds::levels + k - 1] = bytes / path[k]->bytes_per_cycle;
        }
    }
    cycles[RoundBounds::outstanding_misses] = misses * latency / timing.outstanding_misses;
    cycles[RoundBounds::stores] =
        warps * wave.cores * work.stored / machine.shared_level().bytes_per_cycle;
    cycles[RoundBounds::local_memory] =
        timing.local_bytes_per_cycle ? warps * work.local / *timing.local_bytes_per_cycle : 0;
    return bounds;
}

double slowest_of_some(std::span<const ServedRounds> rounds, double together, const CachePath& path,
                       const Machine& machine)
{
    boost::container::small_vector<double, 4> reads_of_level(path.size() + 1, 0);
    for (const ServedRounds& served : rounds) {
        reads_of_level[served.level] += served.rounds;
    }
    double all = 0;
    double mean = 0;
    for (std::size_t level = 0; level <= path.size(); ++level) {
        all += reads_of_level[level];
        mean += reads_of_level[level] * latency_of(level, path, machine);
    }
    if (all == 0) {
        return 1;
    }
    double slowest = 0;
    double below = 0; // share of the reads that hit this level or one before it
    double none_beyond = 0;
    for (std::size_t level = 0; level <= path.size(); ++level) {
        below += reads_of_level[level] / all;
        // The slowest is at this level or before if all of them are.
        const double up_to = std::pow(std::min(1.0, below), together);
        slowest += (up_to - none_beyond) * latency_of(level, path, machine);
        none_beyond = up_to;
    }
    return slowest / (mean / all);
}

} // namespace texelscope::model
