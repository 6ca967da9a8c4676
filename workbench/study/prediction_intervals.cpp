#include "workbench/study/prediction_intervals.hpp"

#include "workbench/study/study.hpp"

namespace texelscope::workbench::study {

std::map<ModelVariant, KernelInterval> intervals(const PredictedStudy& study)
{
    const KernelIntervals of_calibration(study.calibration);
    std::map<ModelVariant, KernelInterval> found;
    for (const ModelVariant variant : all_model_variants) {
        if (const auto interval = of_calibration.of(study.prediction.kernel,
                                                    study.prediction.cost(variant), variant)) {
            found[variant] = *interval;
        }
    }
    return found;
}

} // namespace texelscope::workbench::study
