#pragma once

#include "sim/simulate.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace texelscope {

enum class HeatQuantity { reads, misses, compulsory, capacity, conflict, evictions };
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

/// Sum over blocks of that size (partial at the right and bottom edge).
[[nodiscard]] HeatMap block_sums(const HeatMap& map, Extent2D block);

/// Collects the heat maps of all images. `reads` counts lanes; misses are counted at the texel whose lane made the
/// lookup; an L1 eviction at the texel that had brought the line in.
class HeatMapObserver : public SimulationObserver {
public:
    explicit HeatMapObserver(std::span<const Image> images);

    void on_access(int core, std::int64_t group, std::int32_t warp, std::uint32_t step, std::int64_t turn,
                   std::span<const LaneRead> lanes) override;
    void on_lookup(const LookupEvent& event) override;

    [[nodiscard]] const HeatMap& map(int image, HeatQuantity quantity) const;

private:
    struct Origin {
        std::uint16_t image = 0;
        Texel texel;
    };
    void count(int image, HeatQuantity quantity, Texel texel);

    std::vector<std::vector<HeatMap>> maps_;           ///< [image][quantity]
    std::unordered_map<std::int64_t, Origin> origins_; ///< of the resident lines, by core and line address
};

} // namespace texelscope
