#pragma once

#include "experiments/space/configuration_space.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace texelscope::experiments {

/// Each kernel of a space as numbers, the same knobs for all: the pattern of each input, three sides of the tile, what is
/// unrolled (by order of appearance), the split, a bit for each tensor in a buffer, storage, splat, stage.
[[nodiscard]] std::vector<std::vector<std::int64_t>> kernel_knobs(const ConfigurationSpace& space);

/// The first of the tile's three among them.
[[nodiscard]] std::size_t first_tile_knob(const ConfigurationSpace& space);

} // namespace texelscope::experiments
