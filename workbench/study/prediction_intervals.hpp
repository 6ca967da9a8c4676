#pragma once

#include "model/tmmodel/kernel_interval.hpp"
#include "workbench/study/study.hpp"

#include <map>

namespace texelscope::workbench::study {

/// The interval of each variant that has one.
[[nodiscard]] std::map<ModelVariant, KernelInterval> intervals(const PredictedStudy& study);

} // namespace texelscope::workbench::study
