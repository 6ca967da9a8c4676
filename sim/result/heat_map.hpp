#pragma once

#include "traces/image.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace texelscope::sim {

/// What is counted for each texel, about L1. Reads are reads of lanes. Everything else belongs to a
/// lookup, and is counted at the texel of the first lane that needs the line (sector). An eviction
/// is counted at the texel whose read had brought the line in.
enum class HeatQuantity {
    reads,
    misses,
    compulsory,
    capacity,
    conflict,
    evictions,
    reuses, ///< lookups of a line that the same core had looked up before
    /// Sum of the LRU stack distances of these lookups. A distance is the number of distinct other
    /// lines that the core looked up in between.
    reuse_distances
};
/// The counts of events that every study has.
inline constexpr std::array all_heat_quantities{HeatQuantity::reads,      HeatQuantity::misses,
                                                HeatQuantity::compulsory, HeatQuantity::capacity,
                                                HeatQuantity::conflict,   HeatQuantity::evictions};
[[nodiscard]] std::string to_string(HeatQuantity quantity);
[[nodiscard]] HeatQuantity parse_heat_quantity(const std::string& text);

/// Counts per texel of one image, row-major.
struct HeatMap {
    Extent2D extent;
    std::vector<std::int64_t> counts; ///< extent.area() of them

    [[nodiscard]] std::int64_t at(Texel t) const
    {
        return counts[static_cast<std::size_t>(t.y) * static_cast<std::size_t>(extent.width) +
                      static_cast<std::size_t>(t.x)];
    }
    [[nodiscard]] std::int64_t max() const;
    [[nodiscard]] std::int64_t total() const;
};

/// Means per texel of one image, row-major; not a number where there is nothing to take the mean
/// of.
struct HeatMeans {
    Extent2D extent;
    std::vector<double> values; ///< extent.area() of them
};

/// sums / counts, element by element; not a number where the count is 0.
[[nodiscard]] std::vector<double> means(std::span<const std::int64_t> sums,
                                        std::span<const std::int64_t> counts);

/// Numbers from `begin` up to, not including, `end`.
struct HalfOpenRange {
    std::int64_t begin = 0;
    std::int64_t end = std::numeric_limits<std::int64_t>::max();

    [[nodiscard]] bool contains(std::int64_t number) const
    {
        return number >= begin && number < end;
    }
    bool operator==(const HalfOpenRange&) const = default;
};

/// Accesses of a launch, by their place in their work-item's sequence and in the order of the
/// simulation.
struct AccessSelection {
    HalfOpenRange steps;
    HalfOpenRange accesses; ///< numbers of the warp accesses, over all cores

    [[nodiscard]] bool contains(std::uint32_t step, std::int64_t access_index) const
    {
        return steps.contains(step) && accesses.contains(access_index);
    }
    bool operator==(const AccessSelection&) const = default;
};

/// Which maps are wanted, and of which accesses. The caches see all of them.
struct HeatRequest {
    std::vector<HeatQuantity> quantities{all_heat_quantities.begin(), all_heat_quantities.end()};
    AccessSelection selection;

    [[nodiscard]] bool wants(HeatQuantity quantity) const;
};

/// The maps of all images of a launch: those of the quantities that were asked for.
class HeatMaps {
public:
    HeatMaps() = default;
    HeatMaps(std::span<const Image> images, std::span<const HeatQuantity> quantities);

    /// The map of a quantity. Throws std::out_of_range where it was not asked for.
    [[nodiscard]] const HeatMap& map(int image, HeatQuantity quantity) const;
    /// Counts at a texel of the image; does nothing where the quantity was not asked for.
    void count(int image, HeatQuantity quantity, Texel texel, std::int64_t amount = 1)
    {
        auto& map = maps_[static_cast<std::size_t>(image)][static_cast<std::size_t>(quantity)];
        if (map) {
            map->counts[static_cast<std::size_t>(std::int64_t{texel.y} * map->extent.width +
                                                 texel.x)] += amount;
        }
    }

    /// Adds or replaces a map.
    void set(int image, HeatQuantity quantity, HeatMap map)
    {
        maps_[static_cast<std::size_t>(image)][static_cast<std::size_t>(quantity)] = std::move(map);
    }

private:
    static constexpr std::size_t quantity_count =
        static_cast<std::size_t>(HeatQuantity::reuse_distances) + 1;
    std::vector<std::array<std::optional<HeatMap>, quantity_count>> maps_; ///< [image][quantity]
};

} // namespace texelscope::sim
