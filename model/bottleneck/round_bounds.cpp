#include "model/bottleneck/round_bounds.hpp"

#include "sim/timed/spill_code.hpp"
#include "traces/index/index_expr.hpp"

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

double port_share(const std::optional<ReadStream::Output>& output, const Wave& wave,
                  const Machine& machine)
{
    const auto sector = static_cast<double>(machine.stores.sector.value);
    if (sector == 0 || !output) {
        return 1;
    }
    const std::int64_t writers = std::max<std::int64_t>(1, std::min(wave.lanes, output->writers));
    const auto items = static_cast<double>(wave.warp[0] * wave.warp[1] * wave.warp[2] * writers);
    const double sectors =
        output->sectors.units(wave.warp) * of_first(output->sectors_together, writers);
    const double lines = output->lines.units(wave.warp) * of_first(output->lines_together, writers);
    // A sector that is written in part is taken to be half written.
    const double written = items * output->texel_bytes / (sectors * sector);
    const double whole = std::clamp(2 * written - 1, 0.0, 1.0);
    const double bytes =
        (sectors * (whole + (1 - whole) * machine.stores.partial) + lines * machine.stores.line) *
        sector;
    // Of the warps of one place some have nothing to write.
    const double writing =
        std::min(1.0, static_cast<double>(ceil_div(output->writers, wave.lanes)) / wave.layers);
    return writing * bytes / (output->texel_bytes * machine.warp_size);
}

ReadWork::ReadWork(const WarpCode::Totals& code, const SimulationOptions& options, double port)
{
    if (code.reads > 0) {
        made = code.reads / (code.reads + code.skipped);
        waits = code.waits / code.reads;
        cycles = code.cycles / code.reads;
        alone = code.alone / code.reads;
        local = code.local / code.reads;
        stored = (code.stored * port + code.spilled +
                  spilled_bytes(options) * options.machine.warp_size * code.operations) /
                 code.reads;
        if (code.spilled > 0) {
            to_memory = code.spilled * spilled_past_caches(options) / code.reads;
        }
    }
}

LaunchRounds::LaunchRounds(const Wave& wave, const CachePath& path,
                           const SimulationOptions& options, const ReadWork& work, double slower)
    : wave_(wave), path_(path), machine_(options.machine), warps_(static_cast<double>(wave.warps)),
      alone_(work.alone), sooner_(slower * work.waits), same_(path)
{
    for (std::size_t level = 0; level <= path.size(); ++level) {
        latency_[level] = latency_of(level, path, machine_);
        waited_[level] = latency_[level] * slower * work.waits;
    }
    // Partitions that have a warp to issue from.
    const double busy = std::min(warps_, static_cast<double>(machine_.instructions.partitions));
    const std::span<double> cycles = same_.cycles();
    cycles[RoundBounds::issue] = warps_ * work.cycles / busy;
    cycles[same_.stores()] = warps_ * wave.cores * work.stored / machine_.store_bandwidth();
    cycles[same_.memory()] =
        warps_ * wave.cores * work.to_memory / machine_.timing.memory_bytes_per_cycle;
    if (const auto local = machine_.timing.local_bytes_per_cycle) {
        cycles[same_.local_memory()] = warps_ * work.local / *local;
    }
}

RoundBounds LaunchRounds::bounds(const RoundFetches& fetch, std::size_t level) const
{
    RoundBounds bounds = same_;
    const std::span<double> cycles = bounds.cycles();
    cycles[RoundBounds::texture_unit] =
        warps_ * wave_.filled * std::max(fetch.unit_cycles, fetch.return_cycles);
    double transfer = 0;
    if (level > 0) {
        const bool from_memory = level == path_.size();
        // All granules that a warp fetches pass the port before the warp goes on, even if no other
        // warp uses the port; the first of them is part of the latency.
        transfer =
            (fetch.granules_of_warp - 1) * granule_of(*path_.front()) /
            (from_memory ? machine_.timing.memory_bytes_per_cycle : path_[level]->bytes_per_cycle);
        cycles[bounds.outstanding_misses()] = fetch.fetched.front() *
                                              (latency_[level] - fetch.sooner) /
                                              machine_.timing.outstanding_misses;
    }
    cycles[RoundBounds::latency] =
        waited_[level] - sooner_ * fetch.sooner +
        std::max({fetch.unit_cycles - fetch.turn, fetch.return_cycles - 1, transfer}) + alone_;
    // What the caches of the level before fetch passes the port of each level up to the one that
    // serves the round.
    for (std::size_t k = 1; k <= level; ++k) {
        const bool memory = k == path_.size();
        const double asking = memory || path_[k]->shared ? caches_of(*path_[k - 1], wave_)
                                                         : 1; // a core's own level serves that core
        const double crowding = memory ? fetch.memory_crowding : fetch.crowding[k];
        const double bytes = fetch.fetched[k - 1] * asking * granule_of(*path_[k - 1]) * crowding;
        cycles[memory ? bounds.memory() : bounds.bandwidth(k)] +=
            bytes / (memory ? machine_.timing.memory_bytes_per_cycle : path_[k]->bytes_per_cycle);
    }
    return bounds;
}

double slowest_of_some(std::span<const ServedRounds> rounds, double together, const CachePath& path,
                       const Machine& machine)
{
    std::array<double, most_levels + 1> reads_of_level{}; // then memory
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
