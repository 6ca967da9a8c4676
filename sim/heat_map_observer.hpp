#pragma once

#include "sim/heat_map.hpp"
#include "sim/line_origins.hpp"
#include "sim/reuse_distance_counter.hpp"
#include "sim/simulate.hpp"

#include <vector>

namespace texelscope {

/// Collects the heat maps of all images from a simulation that it watches.
class HeatMapObserver : public SimulationObserver {
public:
    explicit HeatMapObserver(std::span<const Image> images, HeatRequest request = {});

    void on_access(int core, std::int64_t group, std::int32_t warp, std::uint32_t step, std::int64_t turn,
                   std::span<const LaneRead> lanes) override;
    void on_lookup(const LookupEvent& event) override;

    [[nodiscard]] const HeatMap& map(int image, HeatQuantity quantity) const { return maps_.map(image, quantity); }
    [[nodiscard]] const HeatMaps& maps() const { return maps_; }
    /// Warp accesses that were selected.
    [[nodiscard]] std::int64_t selected() const { return selected_; }

private:
    HeatRequest request_;
    bool evictions_;
    bool reuse_;
    HeatMaps maps_;
    std::int64_t selected_ = 0;
    LineOrigins origins_;
    std::vector<ReuseDistanceCounter> distances_; ///< by core
};

} // namespace texelscope
