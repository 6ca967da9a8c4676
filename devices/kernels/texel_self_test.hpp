#pragma once

#include "devices/kernels/opencl_device.hpp"

#include <functional>
#include <vector>

namespace texelscope::devices {

/// Runs a nest on packed inputs with a given back end, one sample.
using RunWith = std::function<Measurement(const LoopNest&, const std::vector<std::vector<float>>&,
                                          TexelBackend)>;

/// Whether `candidate` returns what read_imagef returns and what the host wrote, on random images
/// of several odd sizes, inside of the image and on every side of it. False too where a kernel does
/// not build or run.
[[nodiscard]] bool reads_agree(const RunWith& run_with, TexelBackend candidate);

} // namespace texelscope::devices
