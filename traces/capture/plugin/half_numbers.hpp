#pragma once

#include "base/layers.hpp"

namespace texelscope::traces {

/// From now on the built-in functions of floats take half numbers (cl_khr_fp16), too. Before
/// record_image_builtins(), which replaces the same entries. Once for each process.
void add_half_builtins();

} // namespace texelscope::traces
