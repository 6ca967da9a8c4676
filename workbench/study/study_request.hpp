#pragma once

#include "codegen/operators/operator.hpp"
#include "devices/profile/device_profile.hpp"
#include "model/tmmodel/calibration.hpp"
#include "workbench/study/default_variant.hpp"

#include <cstdint>
#include <optional>

namespace texelscope::workbench::study {

/// The question that a study asks: how does one configuration of one operator behave on one device?
struct StudyRequest {
    Operator op;
    Schedule schedule;
    DeviceProfile device; ///< with the `--set` overrides applied
    std::uint64_t seed = 1;
    /// Whether the whole configuration space is ranked by the model as well.
    bool rank = true;
    /// The variant of the model that predicts and ranks; empty: default_variant().
    std::optional<ModelVariant> variant = {};
    /// Of the model; empty: fitted on the simulated device.
    std::optional<Calibration> calibration = {};
};

} // namespace texelscope::workbench::study
