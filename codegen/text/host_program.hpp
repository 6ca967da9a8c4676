#pragma once

#include "codegen/operators/operator.hpp"

#include <string>

namespace texelscope::codegen {

struct LoopNest;

/// A complete C99 program around the kernel text of `nest`, a nest of `op`: needs OpenCL 1.2 and
/// nothing else (`cc FILE.c -lOpenCL -lm`). It makes inputs, runs the kernel on a device, prints
/// its time, and checks the output against the operator's reference. Its arguments are [DEVICE
/// [SEED]], its exit codes 0 (check passed), 1 (check failed) and 2 (any error; one line says
/// which).
[[nodiscard]] std::string host_program_c(const Operator& op, const LoopNest& nest);

} // namespace texelscope::codegen
