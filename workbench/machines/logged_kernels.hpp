#pragma once

#include "workbench/machines/measured_kernel.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace texelscope::workbench::kernel_logs {
struct MeasuredTasks;
} // namespace texelscope::workbench::kernel_logs

namespace texelscope::workbench::machines {

/// The kernels that logs of AutoTVM have of a device, those of tasks with at least `fewest` of
/// them. Their times hold copies; those of the slow clock say so (kernel_logs::slow_clock). A task
/// is named by operator and numbers: "conv2d 1,200,200,64,64,1,1,1 float32". The best kernels of
/// networks' layers are tasks like "layers dwconv2d float16", whose copies have to be foretold, as
/// each has its own. What our operators or
/// lowering refuse is left out. Throws bad_input, naming `where`, where nothing is left.
[[nodiscard]] std::vector<MeasuredKernel> measured_kernels(const kernel_logs::MeasuredTasks& logs,
                                                           const std::string& device,
                                                           std::size_t fewest,
                                                           const std::string& where);

} // namespace texelscope::workbench::machines
