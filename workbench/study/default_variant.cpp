#include "workbench/study/default_variant.hpp"

namespace texelscope::workbench::study {

VariantChoice default_variant(bool calibrated)
{
    if (calibrated) {
        return {ModelVariant::reuse_aware,
                "a calibration was given, which the bottleneck model does not use; next best"};
    }
    return {ModelVariant::bottleneck, "agrees best with simulator and devices"};
}

ModelVariant next_variant(ModelVariant variant)
{
    return variant != ModelVariant::bottleneck ? ModelVariant::bottleneck
                                               : ModelVariant::reuse_aware;
}

} // namespace texelscope::workbench::study
