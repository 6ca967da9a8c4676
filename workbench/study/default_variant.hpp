#pragma once

#include "model/tmmodel/model_variant.hpp"

#include <string>

namespace texelscope::workbench::study {

/// A variant of the model, and why it was taken in one line.
struct VariantChoice {
    ModelVariant variant = ModelVariant::bottleneck;
    std::string why;
};

/// The variant of the model that judges where the user names none: the one that agrees best with
/// the simulator and with devices (experiments/measurements/README.md). `calibrated`: somebody gave
/// a calibration of their own; then it is the best of TMModel's variants, as only these use one.
[[nodiscard]] VariantChoice default_variant(bool calibrated);

/// The variant that breaks ties of `variant`: the one of the others that agrees best with simulator
/// and devices.
[[nodiscard]] ModelVariant next_variant(ModelVariant variant);

} // namespace texelscope::workbench::study
