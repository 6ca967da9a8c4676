#pragma once

#include "codegen/loop_nest.hpp"

#include <array>
#include <vector>

namespace texelscope {

/// For each input, whether its reads change with the output tile's number along x, y, z of the grid.
[[nodiscard]] std::vector<std::array<bool, 3>> tile_dependence(const LoopNest& nest);

} // namespace texelscope
