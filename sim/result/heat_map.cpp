#include "sim/result/heat_map.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace texelscope::sim {
namespace {

constexpr std::array quantity_names{"reads",    "misses",    "compulsory", "capacity",
                                    "conflict", "evictions", "reuses",     "reuse-distances"};

} // namespace

std::string to_string(HeatQuantity quantity)
{
    return quantity_names[static_cast<std::size_t>(quantity)];
}

HeatQuantity parse_heat_quantity(const std::string& text)
{
    const auto found = std::find(quantity_names.begin(), quantity_names.end(), text);
    if (found == quantity_names.end()) {
        throw bad_input(
            "'" + text + "' is not a heat map quantity", {},
            "use reads, misses, compulsory, capacity, conflict, evictions, reuse or reuses");
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

std::vector<double> means(std::span<const std::int64_t> sums, std::span<const std::int64_t> counts)
{
    std::vector<double> quotients;
    quotients.reserve(sums.size());
    for (std::size_t i = 0; i < sums.size(); ++i) {
        quotients.push_back(counts[i] == 0
                                ? std::numeric_limits<double>::quiet_NaN()
                                : static_cast<double>(sums[i]) / static_cast<double>(counts[i]));
    }
    return quotients;
}

bool HeatRequest::wants(HeatQuantity quantity) const
{
    return std::find(quantities.begin(), quantities.end(), quantity) != quantities.end();
}

HeatMaps::HeatMaps(std::span<const Image> images, std::span<const HeatQuantity> quantities)
    : maps_(images.size())
{
    for (std::size_t i = 0; i < images.size(); ++i) {
        for (const HeatQuantity quantity : quantities) {
            maps_[i][static_cast<std::size_t>(quantity)] = HeatMap{
                images[i].extent,
                std::vector<std::int64_t>(static_cast<std::size_t>(images[i].extent.area()), 0)};
        }
    }
}

const HeatMap& HeatMaps::map(int image, HeatQuantity quantity) const
{
    const auto& map = maps_.at(static_cast<std::size_t>(image))[static_cast<std::size_t>(quantity)];
    if (!map) {
        throw std::out_of_range("no heat map of " + to_string(quantity) + " was asked for");
    }
    return *map;
}

} // namespace texelscope::sim
