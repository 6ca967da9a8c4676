// Counts, for each texel, what an observed simulation says of it. Only selected accesses count, but
// reuse distances and the origin of lines depend on everything that came before, so these are kept
// up to date for all lookups.

#include "sim/observers/heat_map_observer.hpp"

#include "sim/memory/image_storage.hpp"
#include "sim/options/options.hpp"

#include <utility>

namespace texelscope::sim {

HeatMapObserver::HeatMapObserver(std::span<const Image> images, const SimulationOptions& options,
                                 HeatRequest request)
    : request_(std::move(request)), evictions_(request_.wants(HeatQuantity::evictions)),
      reuse_(request_.wants(HeatQuantity::reuses) || request_.wants(HeatQuantity::reuse_distances)),
      maps_(images, request_.quantities), line_(options.machine.l1().geometry.line.value)
{
    if (reuse_) {
        validate(options);
        const std::int64_t lines = granule_count(store_images(images, options), line_);
        for (int core = 0; core < options.machine.cores; ++core) {
            distances_.emplace_back(lines);
        }
    }
}

void HeatMapObserver::on_access(int, std::int64_t, std::int32_t, std::uint32_t step,
                                std::int64_t access_index, std::span<const LaneRead> lanes)
{
    if (!request_.selection.contains(step, access_index)) {
        return;
    }
    ++selected_;
    for (const LaneRead& read : lanes) {
        maps_.count(read.image, HeatQuantity::reads, read.texel);
    }
}

void HeatMapObserver::on_lookup(const LookupEvent& event)
{
    const bool selected = request_.selection.contains(event.step, event.access_index);
    if (reuse_) {
        const auto distance =
            distances_[static_cast<std::size_t>(event.core)].access(event.line / line_);
        if (selected && distance) {
            maps_.count(event.image, HeatQuantity::reuses, event.texel);
            maps_.count(event.image, HeatQuantity::reuse_distances, event.texel, *distance);
        }
    }
    if (event.l1.hit()) {
        return;
    }
    if (selected) {
        maps_.count(event.image, HeatQuantity::misses, event.texel);
        maps_.count(event.image,
                    event.l1.miss == MissKind::compulsory ? HeatQuantity::compulsory
                    : event.l1.miss == MissKind::capacity ? HeatQuantity::capacity
                                                          : HeatQuantity::conflict,
                    event.texel);
    }
    if (evictions_) { // who brought a line in is kept for the accesses that are not selected too
        if (event.l1.evicted) {
            const ImageTexel origin = origins_.evict(event.core, *event.l1.evicted);
            if (selected) {
                maps_.count(origin.image, HeatQuantity::evictions, origin.texel);
            }
        }
        origins_.fill(event.core, event.line, {event.image, event.texel});
    }
}

} // namespace texelscope::sim
