#include "model/bottleneck/round_fetches.hpp"

#include "traces/index/index_expr.hpp"

#include <algorithm>
#include <cmath>

namespace texelscope::model {
namespace {

/// Work-items of one warp that read.
std::int64_t lanes_of_warp(const Wave& wave)
{
    return wave.warp[0] * wave.warp[1] * wave.warp[2] * wave.lanes;
}

/// Cycles of the texture unit for one warp's read where it takes `lanes` lanes at a time
/// (texture.lanes). Lanes that it serves together are neighbours along x; where a row of the warp
/// is shorter they fill further rows, and then work-items at the same place of the grid.
double cycles_by_lanes(const ReadStream::Input& input, const Wave& wave, int lanes, Bytes block)
{
    if (block.value == 0) {
        return static_cast<double>(ceil_div(lanes_of_warp(wave), std::int64_t{lanes}));
    }
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

/// Granules that one core fetches from behind L1. Warps that share granules read them one after the
/// other: first the warps of a row, then the rows of a work-group, then warps at the same place of
/// the grid (layers), then the work-groups. What they
/// share is fetched once if everything read from one warp to the next fits into L1. With a share
/// `shared` of it still there, the count lies between the two cases, on a logarithmic scale.
double fetched_by_core(const ReadStream::Input& input, const Wave& wave, const CacheSets& l1,
                       double of_warp, double granules_of_warp)
{
    const ReadStream::Together* const together = input.together ? &*input.together : nullptr;
    const LaneSpread& granules = input.levels.front().granules;
    const bool cached = l1.lines > 0;
    const WorkItems* before = &wave.warp;
    double fetched = granules_of_warp;
    const auto widen_to = [&](const WorkItems& items, double times) {
        WorkingSet between = working_set(input.levels.front().lines, *before, l1);
        if (together != nullptr) {
            between = l1.sums(between, together->levels.front().lines);
        }
        const double shared = times > 1 && cached ? l1.holds(between) : 0;
        fetched *= std::pow(granules.units(items) / granules.units(*before), shared) *
                   std::pow(times, 1 - shared);
        before = &items;
    };
    widen_to(wave.row, wave.warps_of_row);
    widen_to(wave.group, wave.rows_of_group);
    const double of_group =
        together != nullptr ? together->levels.front().granules.back() / of_warp : 1;
    fetched *= cached ? std::min(of_group, wave.layers) : wave.layers;
    widen_to(wave.core, static_cast<double>(wave.warps) /
                            (wave.warps_of_row * wave.rows_of_group * wave.layers));
    return fetched;
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

double of_first(const std::vector<double>& counts, std::int64_t items)
{
    return counts.empty()
               ? 1
               : counts[static_cast<std::size_t>(std::min(items, std::ssize(counts))) - 1];
}

RoundFetches round_fetches(const ReadStream::Input& input, const Wave& wave, const CachePath& path,
                           const CacheSets& l1, const Machine& machine)
{
    const ReadStream::Together* const together = input.together ? &*input.together : nullptr;
    // Granules that work-items at the same place of the grid read together.
    const double of_warp =
        together != nullptr ? of_first(together->levels.front().granules, wave.lanes) : 1;
    RoundFetches round;
    round.granules_of_warp = input.levels.front().granules.units(wave.warp) * of_warp;
    const ReadService service = machine.service_of(input.buffer);
    round.sooner = service.sooner;
    round.unit_cycles = round.granules_of_warp / service.lookups_per_cycle;
    round.turn = 1 / service.lookups_per_cycle;
    // The unit is free again when addresses and lookups are both done.
    if (service.lanes) {
        round.unit_cycles = std::max(round.unit_cycles,
                                     cycles_by_lanes(input, wave, *service.lanes, service.block));
        round.turn = 1;
    }
    if (service.returned) {
        round.return_cycles =
            static_cast<double>(lanes_of_warp(wave)) * input.texel_bytes / *service.returned;
    }
    round.fetched[0] = fetched_by_core(input, wave, l1, of_warp, round.granules_of_warp);
    // A level behind L1 fetches what all that share it look up, each granule once; but no more than
    // what their warps look up by themselves.
    for (std::size_t level = 1; level < path.size(); ++level) {
        const double cores = path[level]->shared ? wave.cores : 1;
        const double apart = cores * static_cast<double>(wave.warps) * round.granules_of_warp;
        const double distinct = input.levels[level].granules.units(items_of(*path[level], wave)) *
                                (together != nullptr ? together->levels[level].granules.back() : 1);
        round.fetched[level] = std::min(apart, distinct);
        round.crowding[level] = input.levels[level].banks.crowding(items_of(*path[level], wave));
    }
    round.memory_crowding = input.channels.crowding(wave.all);
    return round;
}

} // namespace texelscope::model
