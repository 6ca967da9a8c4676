#pragma once

#include "base/layers.hpp"

namespace texelscope::traces {

/// From now on each read_image and write_image of any kernel in this process is recorded in the
/// group that the thread runs, and then done as before: Oclgrind looks built-in functions up in a
/// table, and their entries are replaced. So reads that get the border colour are seen, which load
/// nothing, and other instructions cost nothing. Once for each process.
void record_image_builtins();

} // namespace texelscope::traces
