#pragma once

#include "model/tmmodel/model_variant.hpp"

#include <string>

namespace texelscope::workbench::study {

/// A variant of the model, and why it was taken in one line.
struct VariantChoice {
    ModelVariant variant = ModelVariant::bottleneck;
    std::string why;
};

/// The variant that judges where none is named: the one that agrees best with the simulator and
/// with devices (experiments/measurements/README.md). `calibrated`: the model was fitted to
/// measurements that somebody gave, which only the variants of TMModel use.
[[nodiscard]] VariantChoice default_variant(bool calibrated);

/// The variant that orders what another one cannot tell apart: of the others, the one that agrees
/// best.
[[nodiscard]] ModelVariant next_variant(ModelVariant variant);

} // namespace texelscope::workbench::study
