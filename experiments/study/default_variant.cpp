#include "experiments/study/default_variant.hpp"

#include <algorithm>

namespace texelscope::experiments {
namespace {

bool bottlenecks_known(const ConfigurationSpace& space)
{
    return std::ranges::none_of(space.kernels(), [](const KernelChoice& kernel) { return kernel.stage > 0; });
}

} // namespace

VariantChoice default_variant(bool bottlenecks_known, bool calibrated)
{
    if (!bottlenecks_known) {
        return {ModelVariant::reuse_aware,
                "the bottleneck model does not know kernels that copy blocks to local memory; next best"};
    }
    if (calibrated) {
        return {ModelVariant::reuse_aware,
                "a calibration was given, which the bottleneck model does not use; next best"};
    }
    return {ModelVariant::bottleneck, "agrees best with simulator and devices"};
}

VariantChoice default_variant(const ConfigurationSpace& space, bool calibrated)
{
    return default_variant(bottlenecks_known(space), calibrated);
}

VariantChoice default_variant(const Prediction& prediction, bool calibrated)
{
    return default_variant(prediction.bottleneck.has_value(), calibrated);
}

ModelVariant next_variant(ModelVariant variant, const ConfigurationSpace& space)
{
    return variant != ModelVariant::bottleneck && bottlenecks_known(space) ? ModelVariant::bottleneck
           : variant != ModelVariant::reuse_aware                          ? ModelVariant::reuse_aware
                                                                           : ModelVariant::refined;
}

} // namespace texelscope::experiments
