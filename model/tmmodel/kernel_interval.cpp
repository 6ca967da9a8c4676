#include "model/tmmodel/kernel_interval.hpp"

#include <cmath>
#include <cstddef>

namespace texelscope::model {

KernelIntervals::KernelIntervals(const Calibration& calibration)
{
    if (!calibration.held_out.empty()) {
        thread_.emplace(calibration.walks, calibration.held_out);
    }
    if (!calibration.fresh_held_out.empty()) {
        reuse_thread_.emplace(calibration.fresh_walks, calibration.fresh_held_out);
    }
}

std::optional<KernelInterval> KernelIntervals::of(const ModelKernel& kernel, const KernelCost& cost,
                                                  ModelVariant variant, double level) const
{
    const bool reuse_aware = variant == ModelVariant::reuse_aware;
    const std::optional<HeldOutErrors>& errors = reuse_aware ? reuse_thread_ : thread_;
    if (variant == ModelVariant::bottleneck || kernel.inputs.empty() || !errors) {
        return std::nullopt;
    }
    const double of_each = 1 - (1 - level) / static_cast<double>(kernel.inputs.size());
    KernelInterval interval{.level = level, .high = Nanoseconds{0}};
    Nanoseconds thread{0};
    for (std::size_t i = 0; i < kernel.inputs.size(); ++i) {
        const ModelKernel::Input& input = kernel.inputs[i];
        const Nanoseconds predicted = cost.thread.at(i);
        const ErrorBound bound =
            errors->bound(reuse_aware ? input.fresh : input.histogram, of_each);
        if (bound.outside || !(predicted.value > 0)) {
            return KernelInterval{.level = level, .outside = true};
        }
        thread += predicted;
        interval.low += predicted * std::exp(-bound.log_error);
        interval.high += predicted * std::exp(bound.log_error);
    }
    const double factor = cost.kernel.value / thread.value;
    interval.low = interval.low * factor;
    interval.high = interval.high * factor;
    if (!interval.bounded()) {
        // a bound of the other images alone is none of their sum that anybody would use
        interval.low = Nanoseconds{0};
    }
    return interval;
}

} // namespace texelscope::model
