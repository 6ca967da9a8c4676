#pragma once

#include "codegen/nest/loop_nest.hpp"

#include <array>

namespace texelscope::codegen {

/// Which of work_item_variables() occur in a nest: in the definitions of its names, its guards, or the coordinates and guards
/// of its statements. (What the text of a NestCompute names is not looked at.)
[[nodiscard]] std::array<bool, 6> used_work_item_ids(const LoopNest& nest);

} // namespace texelscope::codegen
