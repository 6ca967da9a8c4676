#pragma once

#include <array>
#include <vector>

namespace texelscope::codegen {

struct LoopNest;

/// For each input, whether its reads depend on the work-item's place along x, y, z in its group.
/// That place is the number of its output tile, or its own number where work-items copy texels for
/// each other.
[[nodiscard]] std::vector<std::array<bool, 3>> tile_dependence(const LoopNest& nest);

} // namespace texelscope::codegen
