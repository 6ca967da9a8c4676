#pragma once

#include "sim/result/heat_map.hpp"
#include "sim/result/line_origins.hpp"
#include "sim/result/simulation_observer.hpp"
#include "sim/reuse/stack_distance.hpp"

#include <vector>

namespace texelscope::sim {

struct SimulationOptions;

/// Collects the heat maps of all images from a simulation that it watches.
class HeatMapObserver : public SimulationObserver {
public:
    /// Images and options of the simulation. Throws bad_input where reuse is asked for and the
    /// options are invalid.
    HeatMapObserver(std::span<const Image> images, const SimulationOptions& options,
                    HeatRequest request = {});

    void on_access(int core, std::int64_t group, std::int32_t warp, std::uint32_t step,
                   std::int64_t access_index, std::span<const LaneRead> lanes) override;
    void on_lookup(const LookupEvent& event) override;

    [[nodiscard]] const HeatMap& map(int image, HeatQuantity quantity) const
    {
        return maps_.map(image, quantity);
    }
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
    std::int64_t line_;                           ///< bytes
    std::vector<StackDistanceCounter> distances_; ///< by core, where reuse is asked for
};

} // namespace texelscope::sim
