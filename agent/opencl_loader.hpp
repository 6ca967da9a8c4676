#pragma once

#include <string>
#include <vector>

namespace texelscope::agent {

/// Where OpenCL libraries are looked for, in this order: TEXELSCOPE_OPENCL alone where it is set,
/// else the loader's own search for libOpenCL.so, then the places where vendors of phones put
/// theirs.
[[nodiscard]] std::vector<std::string> opencl_places();

/// Loads the first of `places` that is an OpenCL 1.2 library, which all OpenCL functions of this
/// program then call until it ends. Returns its place. Throws missing, saying what was tried. Call
/// it once, before any OpenCL function.
std::string load_opencl(const std::vector<std::string>& places);

} // namespace texelscope::agent
