#pragma once

#include "gui/heat_map/heat_layer.hpp"

#include <cstddef>

namespace texelscope::gui {

/// Shannon entropy of the values over the texels, in bits: 0 where all are the same, 1 where two
/// values have half of the texels each.
[[nodiscard]] double entropy(const HeatMap& map);

/// Which image and quantity of a launch are shown before the user chooses.
struct FirstView {
    std::size_t image = 0;
    HeatChoice choice = HeatChoice::reads;

    bool operator==(const FirstView&) const = default;
};

/// The first image with a quantity that is seen to vary, and the one of its quantities that varies
/// most; of equal ones the first. Only what the launch has counted is looked at: reuse distances
/// and last warps take another simulation. Where nothing varies, reads of the first image.
[[nodiscard]] FirstView first_view(const LaunchResult& launch);

} // namespace texelscope::gui
