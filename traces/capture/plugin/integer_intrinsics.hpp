#pragma once

#include "base/layers.hpp"

namespace texelscope::traces {

/// Adds LLVM's functions of integers to Oclgrind's table of built-in functions where it has none.
void add_integer_intrinsics();

} // namespace texelscope::traces
