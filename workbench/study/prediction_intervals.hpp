#pragma once

#include "model/tmmodel/kernel_interval.hpp"
#include "model/tmmodel/model_variant.hpp"

#include <map>

namespace texelscope::workbench::study {

struct PredictedStudy;

/// The interval of each variant that has one.
[[nodiscard]] std::map<ModelVariant, KernelInterval> intervals(const PredictedStudy& study);

} // namespace texelscope::workbench::study
