#pragma once

#include "workbench/plots/result_table.hpp"

namespace texelscope::workbench::study {
struct PredictedStudy;
} // namespace texelscope::workbench::study

namespace texelscope::workbench::report {

/// A table with a row for each image that the kernel reads, by the study's variant. Columns:
/// "image", "pattern", "s", "w", "accesses", "L_t_ns".
[[nodiscard]] ResultTable inputs_table(const study::PredictedStudy& study);

/// A table of what the time by the variant bottleneck is made of. Columns: "bound" (a bottleneck,
/// or the launch), "ns", "share" (of the time).
[[nodiscard]] ResultTable bounds_table(const study::PredictedStudy& study);

} // namespace texelscope::workbench::report
