#include "sim/heat_map.hpp"

#include "traces/error.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace texelscope {
namespace {

constexpr std::array quantity_names{"reads", "misses", "compulsory", "capacity", "conflict", "evictions"};

/// One number for a line of a core, so that lines of different cores do not meet.
std::int64_t origin_key(int core, std::int64_t address)
{
    return address * 4096 + core;
}

} // namespace

std::string to_string(HeatQuantity quantity)
{
    return quantity_names[static_cast<std::size_t>(quantity)];
}

HeatQuantity parse_heat_quantity(const std::string& text)
{
    const auto found = std::find(quantity_names.begin(), quantity_names.end(), text);
    if (found == quantity_names.end()) {
        throw bad_input("'" + text + "' is not a heat map quantity", {},
                        "use reads, misses, compulsory, capacity, conflict or evictions");
    }
    return static_cast<HeatQuantity>(found - quantity_names.begin());
}

std::int64_t HeatMap::max() const
{
    return counts.empty() ? 0 : *std::max_element(counts.begin(), counts.end());
}

std::int64_t HeatMap::total() const
{
    return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
}

HeatMap block_sums(const HeatMap& map, Extent2D block)
{
    HeatMap sums;
    sums.extent = {(map.extent.width + block.width - 1) / block.width,
                   (map.extent.height + block.height - 1) / block.height};
    sums.counts.assign(static_cast<std::size_t>(sums.extent.area()), 0);
    for (std::int32_t y = 0; y < map.extent.height; ++y) {
        for (std::int32_t x = 0; x < map.extent.width; ++x) {
            const std::int64_t cell = std::int64_t{y / block.height} * sums.extent.width + x / block.width;
            sums.counts[static_cast<std::size_t>(cell)] += map.at({x, y});
        }
    }
    return sums;
}

HeatMapObserver::HeatMapObserver(std::span<const Image> images)
{
    for (const Image& image : images) {
        const HeatMap empty{image.extent, std::vector<std::int64_t>(static_cast<std::size_t>(image.extent.area()), 0)};
        maps_.emplace_back(quantity_names.size(), empty);
    }
}

const HeatMap& HeatMapObserver::map(int image, HeatQuantity quantity) const
{
    return maps_[static_cast<std::size_t>(image)][static_cast<std::size_t>(quantity)];
}

void HeatMapObserver::count(int image, HeatQuantity quantity, Texel texel)
{
    HeatMap& map = maps_[static_cast<std::size_t>(image)][static_cast<std::size_t>(quantity)];
    ++map.counts[static_cast<std::size_t>(std::int64_t{texel.y} * map.extent.width + texel.x)];
}

void HeatMapObserver::on_access(int, std::int64_t, std::int32_t, std::uint32_t, std::int64_t,
                                std::span<const LaneRead> lanes)
{
    for (const LaneRead& read : lanes) {
        count(read.image, HeatQuantity::reads, read.texel);
    }
}

void HeatMapObserver::on_lookup(const LookupEvent& event)
{
    if (event.l1.hit()) {
        return;
    }
    count(event.image, HeatQuantity::misses, event.texel);
    count(event.image,
          event.l1.miss == MissKind::compulsory ? HeatQuantity::compulsory
          : event.l1.miss == MissKind::capacity ? HeatQuantity::capacity
                                                : HeatQuantity::conflict,
          event.texel);
    if (event.l1.evicted) {
        const auto origin = origins_.find(origin_key(event.core, *event.l1.evicted));
        count(origin->second.image, HeatQuantity::evictions, origin->second.texel);
        origins_.erase(origin);
    }
    origins_.try_emplace(origin_key(event.core, event.line), Origin{event.image, event.texel});
}

} // namespace texelscope
