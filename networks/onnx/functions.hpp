#pragma once

#include "networks/onnx/onnx_file.hpp"

#include <vector>

namespace texelscope::networks {

/// Puts the nodes of functions in place of the nodes that call them, within functions as well.
/// Values within a call are named after the call. Throws bad_input for functions that call
/// themselves, and where more comes out than any network has: a file of a few bytes could ask for
/// it.
void write_out_functions(OnnxFile& file, const std::vector<OnnxFunction>& functions);

} // namespace texelscope::networks
