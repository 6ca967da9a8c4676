#pragma once

#include "base/layers.hpp"

namespace texelscope::traces {

/// Adds functions of integers, and LLVM's hints, to Oclgrind's table of built-in functions where it
/// has none.
void add_missing_functions();

} // namespace texelscope::traces
