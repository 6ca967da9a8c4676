#pragma once

#include "experiments/judges/judges.hpp"
#include "workbench/plots/result_table.hpp"

namespace texelscope::experiments {

/// The bottleneck model with the simulator: a row for each device, each operator, and all.
[[nodiscard]] ResultTable summary_table(const std::vector<JudgedCell>& cells,
                                        const std::vector<DeviceProfile>& devices);
/// Every variant in every cell.
[[nodiscard]] ResultTable cell_table(const std::vector<JudgedCell>& cells,
                                     const std::vector<DeviceProfile>& devices);
[[nodiscard]] ResultTable far_table(const std::vector<FarKernel>& kernels);
/// Every judge on the measured shapes of a device that were fitted on, and on the others.
[[nodiscard]] ResultTable measured_summary_table(const std::vector<JudgedShape>& shapes);
/// Every judge on every measured shape.
[[nodiscard]] ResultTable measured_table(const std::vector<JudgedShape>& shapes);

} // namespace texelscope::experiments
