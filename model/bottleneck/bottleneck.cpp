#include "model/bottleneck/bottleneck.hpp"

#include "sim/options/occupancy.hpp"
#include "traces/index/index_expr.hpp"

#include <boost/container/small_vector.hpp>

#include <algorithm>
#include <cmath>
#include <span>

namespace texelscope::model {
namespace {

/// What one round of an input's reads looks up and fetches if the caches hold none of it yet.
struct Fetches {
    double granules_of_warp = 1;
    double unit_cycles = 1; ///< cycles of the texture unit for one warp
    double granules = 1;    ///< granules that the warps of one core fetch from behind L1
    double lines = 1;       ///< granules of L2 that all cores together fetch from memory
};

/// The count for the first `items` work-items (ReadStream::Together); beyond the end of the table
/// its last value.
double of_first(const std::vector<double>& counts, std::int64_t items)
{
    return counts[static_cast<std::size_t>(std::min(items, std::ssize(counts))) - 1];
}

/// Cycles of the texture unit for one warp's read where it takes `lanes` lanes at a time
/// (texture.lanes). Lanes that it serves together are neighbours along x; where a row of the warp
/// is shorter they fill further rows, and then work-items at the same place of the grid.
double cycles_by_lanes(const ReadStream::Input& input, const Wave& wave, int lanes)
{
    WorkItems together{std::min<std::int64_t>(lanes, wave.warp[0]), 1, 1};
    together[1] = std::min(std::max<std::int64_t>(1, lanes / together[0]), wave.warp[1]);
    double parts = 1;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        parts *= static_cast<double>(ceil_div(wave.warp[axis], together[axis]));
    }
    const double cycles = parts * input.blocks.units(together);
    if (!input.together) {
        return cycles;
    }
    const std::int64_t of_place =
        std::clamp<std::int64_t>(lanes / (together[0] * together[1]), 1, wave.lanes);
    return cycles * static_cast<double>(ceil_div(wave.lanes, of_place)) *
           of_first(input.together->blocks, of_place);
}

Fetches fetches_of(const ReadStream::Input& input, const Wave& wave, const CacheSets& l1,
                   const SimulationOptions& options)
{
    const ReadStream::Together* const together = input.together ? &*input.together : nullptr;
    // Granules that work-items at the same place of the grid read together.
    const double of_warp = together ? of_first(together->granules, wave.lanes) : 1;
    Fetches fetches;
    fetches.granules_of_warp = input.granules.units(wave.warp) * of_warp;
    fetches.unit_cycles = fetches.granules_of_warp / options.machine.timing.lookups_per_cycle;
    // The unit is free again when addresses and lookups are both done.
    if (const auto lanes = options.machine.timing.texture_lanes) {
        fetches.unit_cycles = std::max(fetches.unit_cycles, cycles_by_lanes(input, wave, *lanes));
    }
    // Warps that share granules read them one after the other: first the warps of a row, then the
    // rows of a work-group, then the work-groups. What they share is fetched once if everything
    // read from one warp to the next fits into L1. With a share `shared` of it still there, the
    // count lies between the two cases, on a logarithmic scale.
    fetches.granules = fetches.granules_of_warp;
    const bool cached = l1.lines > 0;
    const WorkItems* before = &wave.warp;
    const auto share = [&](const WorkItems& items, double times) {
        WorkingSet between = working_set(input.l1_lines, *before, l1);
        if (together) {
            between = l1.sums(between, together->l1_lines);
        }
        const double shared = times > 1 && cached ? l1.holds(between) : 0;
        fetches.granules *=
            std::pow(input.granules.units(items) / input.granules.units(*before), shared) *
            std::pow(times, 1 - shared);
        before = &items;
    };
    share(wave.row, wave.warps_of_row);
    share(wave.group, wave.rows_of_group);
    const double of_group = together ? together->granules.back() / of_warp : 1;
    fetches.granules *= cached ? std::min(of_group, wave.layers) : wave.layers;
    share(wave.core,
          static_cast<double>(wave.warps) / (wave.warps_of_row * wave.rows_of_group * wave.layers));
    fetches.lines =
        std::min(wave.cores * static_cast<double>(wave.warps) * fetches.granules_of_warp,
                 input.l2_granules.units(wave.all) * (together ? together->l2_granules.back() : 1));
    return fetches;
}

/// A flag for each input of a stream.
using OfInputs = boost::container::small_vector<bool, 4>;

/// One cache as the images share it that are read through it: what the warps that run side by side
/// touch of each of them in one read, and from that which share of later reads hits.
class CacheShare {
public:
    /// `mine` tells for each input whether it is read through this cache. `items` is the box of
    /// work-items that share the cache, `beside` the box within which a neighbour's earlier reads
    /// count.
    CacheShare(const ReadStream& stream, LineSpread ReadStream::Input::*spread,
               WorkingSet ReadStream::Together::*together, const WorkItems& items,
               const WorkItems& beside, const CacheSets& cache, const OfInputs& mine)
        : beside_(beside), cache_(cache)
    {
        for (std::size_t i = 0; i < stream.inputs.size(); ++i) {
            number_.push_back(sets_.size());
            if (mine[i]) {
                inputs_.push_back(i);
                spreads_.push_back(&(stream.inputs[i].*spread));
                sets_.push_back(working_set(*spreads_.back(), items, cache_));
                if (const auto& items_of_place = stream.inputs[i].together) {
                    sets_.back() = cache_.sums(sets_.back(), (*items_of_place).*together);
                }
            }
        }
    }
    /// Share of such reads that hit because the same place was read before: the best of all
    /// `returns`, and of the wave before.
    [[nodiscard]] double found(std::size_t input, const ReadStream::Returns& returns,
                               const ReadStream::Windows& whole, const Wave& wave) const
    {
        double best = 0;
        if (cache_.lines == 0) {
            return best;
        }
        const LineSpread& mine = *spreads_[number_[input]];
        // Where the input does not vary along the axis on which waves follow each other, every wave
        // but the first reads what the wave before has read.
        if (wave.waves > 1 && mine.along[wave.next].lines.empty()) {
            best = (1 - 1 / wave.waves) * kept(input, whole);
        }
        for (const ReadStream::Return& one : returns) {
            double share = 1;
            // The outermost work-item has no neighbour whose reads it could find.
            if (one.axis != ReadStream::Return::itself) {
                share -= 1 / static_cast<double>(beside_[static_cast<std::size_t>(one.axis)]);
            }
            if (share > best) {
                best = std::max(best, share * kept(input, one.windows));
            }
        }
        return best;
    }

private:
    /// share_kept() for the inputs that are read through this cache; `windows` has an entry for
    /// every input of the stream.
    [[nodiscard]] double kept(std::size_t input, const ReadStream::Windows& windows) const
    {
        std::span<const LineWindow> mine = windows;
        boost::container::small_vector<LineWindow, 4> some;
        if (inputs_.size() != windows.size()) {
            for (const std::size_t i : inputs_) {
                some.push_back(windows[i]);
            }
            mine = {some.data(), some.size()};
        }
        return share_kept(number_[input], mine, {sets_.data(), sets_.size()},
                          {spreads_.data(), spreads_.size()}, cache_);
    }

    WorkItems beside_; ///< work-items along each axis that are neighbours
    CacheSets cache_;
    /// For each input of the stream, its place among the inputs of this cache.
    boost::container::small_vector<std::size_t, 4> number_;
    boost::container::small_vector<std::size_t, 4> inputs_; ///< inputs of this cache
    boost::container::small_vector<const LineSpread*, 4> spreads_;
    boost::container::small_vector<WorkingSet, 4> sets_;
};

/// The level that a read hits.
enum class Level { l1, l2, memory };

/// Cycles that a round of one read takes by each of its bounds, in this order: latency, issue,
/// texture unit, L2 bandwidth, memory bandwidth, outstanding misses, stores, local memory.
using RoundLimits = std::array<double, 8>;

/// What the code of a warp does on average for each read that it makes (WarpCode::Totals over its
/// reads).
struct ReadWork {
    double made = 1; ///< reads that are really made, for each read in the program
    /// Waits for data, for each read that is made; the members below are for each such read, too.
    double waits = 1;
    double cycles = 1;
    double gap = 0;
    double stored = 0;
    double local = 0;

    ReadWork(const WarpCode::Totals& code, const SimulationOptions& options)
    {
        if (code.reads > 0) {
            made = code.reads / (code.reads + code.skipped);
            waits = code.waits / code.reads;
            cycles = code.cycles / code.reads;
            gap = code.gap / code.reads;
            local = code.local / code.reads;
            stored = (code.stored +
                      spilled_bytes(options) * options.machine.warp_size * code.operations) /
                     code.reads;
        }
    }
};

double latency_of(Level level, const Machine& machine)
{
    return static_cast<double>((level == Level::l1   ? machine.l1().latency
                                : level == Level::l2 ? machine.l2().latency
                                                     : machine.timing.memory_latency)
                                   .value);
}

/// Reads that are waited for together take as long as the slowest of them. Returns the expected
/// latency of the slowest of `together` reads, drawn at random from all reads, over the mean
/// latency of one read. `reads_of_level`: how many reads hit each level.
double slowest_of_some(const std::array<double, 3>& reads_of_level, double together,
                       const Machine& machine)
{
    double all = 0;
    double mean = 0;
    for (const Level level : {Level::l1, Level::l2, Level::memory}) {
        const double reads = reads_of_level[static_cast<std::size_t>(level)];
        all += reads;
        mean += reads * latency_of(level, machine);
    }
    if (all == 0) {
        return 1;
    }
    double slowest = 0;
    double below = 0; // share of the reads that hit this level or one before it
    double none_beyond = 0;
    for (const Level level : {Level::l1, Level::l2, Level::memory}) {
        below += reads_of_level[static_cast<std::size_t>(level)] / all;
        // The slowest is at this level or before if all of them are.
        const double up_to = std::pow(std::min(1.0, below), together);
        slowest += (up_to - none_beyond) * latency_of(level, machine);
        none_beyond = up_to;
    }
    return slowest / (mean / all);
}

RoundLimits round_limits(const Fetches& fetch, const Wave& wave, const SimulationOptions& options,
                         const ReadWork& work, double slower, Level level)
{
    const Machine& machine = options.machine;
    const Timing& timing = machine.timing;
    const auto warps = static_cast<double>(wave.warps);
    // The first granule's turn at the texture unit is part of the latency.
    const double turn = timing.texture_lanes ? 1 : 1 / timing.lookups_per_cycle;
    const double misses = level == Level::l1 ? 0 : fetch.granules;
    const double l2_bytes =
        misses * wave.cores * static_cast<double>(options.machine.l1().geometry.granule().value);
    const double memory_bytes =
        level != Level::memory ? 0
        : options.machine.has_l2()
            ? fetch.lines * static_cast<double>(options.machine.l2().geometry.granule().value)
            : l2_bytes;
    const double latency = latency_of(level, machine);
    // Partitions that have a warp to issue from.
    const double busy =
        std::min(warps, static_cast<double>(options.machine.instructions.partitions));
    // All granules that a warp fetches pass the port before the warp goes on, even if no other warp
    // uses the port; the first of them is part of the latency.
    const double own = (fetch.granules_of_warp - 1) *
                       static_cast<double>(options.machine.l1().geometry.granule().value);
    const double transfer = level == Level::memory ? own / timing.memory_bytes_per_cycle
                            : level == Level::l2   ? own / machine.l2().bytes_per_cycle
                                                   : 0;
    return {latency * slower * work.waits + std::max(fetch.unit_cycles - turn, transfer) + work.gap,
            warps * work.cycles / busy,
            warps * fetch.unit_cycles,
            options.machine.has_l2() ? l2_bytes / machine.l2().bytes_per_cycle : 0,
            memory_bytes / timing.memory_bytes_per_cycle,
            misses * latency / timing.outstanding_misses,
            warps * wave.cores * work.stored / machine.l2().bytes_per_cycle,
            timing.local_bytes_per_cycle ? warps * work.local / *timing.local_bytes_per_cycle : 0};
}

/// Adds up the rounds of a launch, bound by bound.
class LaunchCycles {
public:
    explicit LaunchCycles(std::size_t inputs) : by_input_(inputs, 0) {}

    void add(std::size_t input, const RoundLimits& limits, double rounds)
    {
        const auto slowest = std::max_element(limits.begin(), limits.end());
        by_input_[input] += *slowest * rounds;
        decided_[static_cast<std::size_t>(slowest - limits.begin())] += *slowest * rounds;
        for (std::size_t i = 0; i < limits.size(); ++i) {
            bounds_[i] += limits[i] * rounds;
        }
    }

    [[nodiscard]] BottleneckCost cost(std::optional<double> overlap) const
    {
        BottleneckCost cost;
        cost.by_input = by_input_;
        RoundLimits parts = decided_;
        for (const double cycles : decided_) {
            cost.cycles += cycles;
        }
        if (overlap && cost.cycles > 0) {
            const double slowest_rounds = cost.cycles;
            // Dividing by the largest bound keeps the powers within the range of doubles.
            const double largest = *std::max_element(bounds_.begin(), bounds_.end());
            double sum = 0;
            for (std::size_t i = 0; i < bounds_.size(); ++i) {
                parts[i] = std::pow(bounds_[i] / largest, *overlap);
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
        cost.latency = parts[0];
        cost.issue = parts[1];
        cost.texture_unit = parts[2];
        cost.l2_bandwidth = parts[3];
        cost.memory_bandwidth = parts[4];
        cost.outstanding_misses = parts[5];
        cost.stores = parts[6];
        cost.local_memory = parts[7];
        return cost;
    }

private:
    std::vector<double> by_input_; ///< cycles of the slowest bound of each round, by input
    RoundLimits decided_{};        ///< the same cycles, by the bound that was the slowest
    RoundLimits bounds_{};         ///< each bound added up over all rounds
};

/// Upper bound on the share of missed granules that are really fetched: if all images together fit
/// into the cache, each of their granules is fetched once only. 1 where they do not fit.
double most_fetched(double stored_bytes, const std::optional<CacheGeometry>& geometry,
                    double missed)
{
    if (!geometry) {
        return 1;
    }
    const CacheGeometry& cache = *geometry;
    const double all = stored_bytes / static_cast<double>(cache.granule().value);
    return stored_bytes <= static_cast<double>(cache.capacity.value) && missed > all ? all / missed
                                                                                     : 1;
}

} // namespace

double LaneSpread::units(const std::array<std::int64_t, 3>& items) const
{
    double product = 1;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const std::vector<double>& table = along[axis];
        if (table.empty()) {
            continue;
        }
        const auto known = static_cast<std::int64_t>(table.size());
        const std::int64_t n = items[axis];
        product *= n <= known ? table[static_cast<std::size_t>(n - 1)]
                              : table.back() * static_cast<double>(n) / static_cast<double>(known);
    }
    return product;
}

BottleneckCost bottleneck_cost(const ReadStream& stream, const WorkGrid& grid,
                               const SimulationOptions& options, const ModelOptions& model)
{
    const Wave wave = wave_of(grid, options);
    if (stream.barriers) {
        require_room_for_group(occupancy(options, wave.group_warps), options);
    }
    const bool has_l2 = options.machine.has_l2();
    // There are two caches of the first level: [0] is the one of images, [1] is the way of buffers
    // where that goes past it.
    std::array<OfInputs, 2> through;
    std::array<double, 2> stored{}; // bytes of the inputs read through each
    for (const ReadStream::Input& input : stream.inputs) {
        const std::size_t first = options.kernel.past_l1(input.buffer) ? 1 : 0;
        through[first].push_back(true);
        through[1 - first].push_back(false);
        stored[first] += input.stored_bytes;
    }
    const double all_stored = stored[0] + stored[1];
    const double written = stream.code.stored / options.machine.warp_size * wave.items;
    const bool warm =
        has_l2 && options.mode.warm_l2 &&
        all_stored + written <= static_cast<double>(options.machine.l2().geometry.capacity.value);
    const auto first_level_of = [&](bool buffer) {
        return first_level(options.machine, options.kernel.buffers, buffer);
    };
    const std::array<CacheSets, 2> l1_sets{CacheSets(first_level_of(false)),
                                           CacheSets(first_level_of(true))};
    const auto share_of = [&](std::size_t first) {
        return CacheShare(stream, &ReadStream::Input::l1_lines, &ReadStream::Together::l1_lines,
                          wave.core, wave.group, l1_sets[first], through[first]);
    };
    const std::array<CacheShare, 2> l1{share_of(0), share_of(1)};
    const auto first_of = [&](std::size_t input) {
        return through[0][input] ? std::size_t{0} : std::size_t{1};
    };
    const CacheShare l2(stream, &ReadStream::Input::l2_lines, &ReadStream::Together::l2_lines,
                        wave.all, wave.all, CacheSets(options.machine.l2().geometry),
                        OfInputs(stream.inputs.size(), true));
    boost::container::small_vector<Fetches, 4> fetches;
    for (std::size_t i = 0; i < stream.inputs.size(); ++i) {
        fetches.push_back(fetches_of(stream.inputs[i], wave, l1_sets[first_of(i)], options));
    }
    // How many rounds of each kind of read hit which level.
    struct Found {
        const ReadStream::Read* read;
        Level level;
        double rounds;
    };
    boost::container::small_vector<Found, 16> found;
    const ReadWork work(stream.code, options);
    struct Missed {
        double rounds, l1, l2; ///< shares of the rounds that miss L1, and that miss both caches
    };
    boost::container::small_vector<Missed, 16> missed;
    // Granules that one core misses in all rounds together, for each first level.
    std::array<double, 2> l1_granules{};
    double l2_granules = 0; // the same of L2, for all cores
    for (const ReadStream::Read& read : stream.reads) {
        const double rounds = work.made * read.count * wave.waves;
        const double l1_misses =
            1 - l1[first_of(read.input)].found(read.input, read.to_granule, stream.l1_whole, wave);
        const double l2_found =
            !has_l2 ? 0
            : warm  ? 1
                    : l2.found(read.input, read.to_l2_granule, stream.l2_whole, wave);
        missed.push_back({rounds, l1_misses, std::min(l1_misses, 1 - l2_found)});
        l1_granules[first_of(read.input)] += rounds * l1_misses * fetches[read.input].granules;
        l2_granules += rounds * missed.back().l2 * fetches[read.input].lines;
    }
    // Inputs that fit into a cache as a whole are fetched once, however often the shares above say.
    const std::array<double, 2> l1_fetched{
        most_fetched(stored[0], first_level_of(false), l1_granules[0]),
        most_fetched(stored[1], first_level_of(true), l1_granules[1])};
    const double l2_fetched =
        has_l2 ? most_fetched(all_stored, options.machine.l2().geometry, l2_granules) : 1;
    for (std::size_t i = 0; i < missed.size(); ++i) {
        const double fetched = l1_fetched[first_of(stream.reads[i].input)];
        const double from_memory = missed[i].l2 * std::min(fetched, l2_fetched);
        const double past_l1 = missed[i].l1 * fetched;
        const std::array<double, 3> shares{1 - past_l1, past_l1 - from_memory, from_memory};
        for (const Level level : {Level::l1, Level::l2, Level::memory}) {
            if (const double share = shares[static_cast<std::size_t>(level)]; share > 0) {
                found.push_back({&stream.reads[i], level, share * missed[i].rounds});
            }
        }
    }
    // Reads that are waited for together are mixed from all levels, so that the factor needs all of
    // them.
    std::array<double, 3> of_level{};
    for (const Found& reads : found) {
        of_level[static_cast<std::size_t>(reads.level)] += reads.rounds;
    }
    const double slower = slowest_of_some(of_level, 1 / work.waits, options.machine);
    LaunchCycles cycles(stream.inputs.size());
    for (const Found& reads : found) {
        cycles.add(
            reads.read->input,
            round_limits(fetches[reads.read->input], wave, options, work, slower, reads.level),
            reads.rounds);
    }
    BottleneckCost cost = cycles.cost(model.overlap);
    for (const Found& reads : found) {
        const Fetches& fetch = fetches[reads.read->input];
        cost.l1_lookups +=
            reads.rounds * wave.cores * static_cast<double>(wave.warps) * fetch.granules_of_warp;
        cost.l1_misses += reads.level == Level::l1 ? 0 : reads.rounds * wave.cores * fetch.granules;
        cost.l2_misses += reads.level == Level::memory ? reads.rounds * fetch.lines : 0;
    }
    cost.resident_warps = wave.warps;
    cost.waves = wave.waves;
    return cost;
}

} // namespace texelscope::model
