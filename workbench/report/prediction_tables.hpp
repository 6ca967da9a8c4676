#pragma once

#include "workbench/plots/result_table.hpp"
#include "workbench/study/study.hpp"

namespace texelscope::workbench::report {

/// A table with a row for each image that the kernel reads, by the study's variant. Columns:
/// "image", "pattern", "s", "w", "accesses", "L_t_ns".
[[nodiscard]] ResultTable inputs_table(const PredictedStudy& study);

/// A table of what the time by the variant bottleneck is made of. Columns: "bound" (a bottleneck,
/// or the launch), "ns", "share" (of the time).
[[nodiscard]] ResultTable bounds_table(const PredictedStudy& study);

} // namespace texelscope::workbench::report
