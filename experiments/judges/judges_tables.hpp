#pragma once

#include "experiments/judges/judges.hpp"
#include "workbench/plots/result_table.hpp"

namespace texelscope::experiments {

/// Agreement of the bottleneck model with the simulator: a row for each device, each operator, and
/// all together.
[[nodiscard]] ResultTable summary_table(const std::vector<JudgedCell>& cells,
                                        const std::vector<DeviceProfile>& devices);
/// Agreement of every variant in every cell.
[[nodiscard]] ResultTable cell_table(const std::vector<JudgedCell>& cells,
                                     const std::vector<DeviceProfile>& devices);
[[nodiscard]] ResultTable far_table(const std::vector<FarKernel>& kernels);
/// How many of the kernels each cause explains: a row for each device, and for all together.
/// Kernels of one device follow each other.
[[nodiscard]] ResultTable causes_table(const std::vector<FarKernel>& kernels);
/// Agreement of every judge with measured times: a row for the shapes of a device that were fitted
/// to, and one for the others.
[[nodiscard]] ResultTable measured_summary_table(const std::vector<JudgedShape>& shapes);
/// Agreement of every judge on every measured shape.
[[nodiscard]] ResultTable measured_table(const std::vector<JudgedShape>& shapes);

} // namespace texelscope::experiments
