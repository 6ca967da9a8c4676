#pragma once

#include "codegen/operators/operator.hpp"
#include "devices/launch/launch_options.hpp"
#include "devices/profile/device_profile.hpp"
#include "workbench/space/configuration_space.hpp"
#include "workbench/study/default_variant.hpp"
#include "workbench/study/launch_result.hpp"
#include "workbench/study/prediction.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace texelscope::workbench::study {

/// The question: one operator, one configuration, one device.
struct StudyRequest {
    Operator op;
    Schedule schedule;
    DeviceProfile device; ///< with the `--set` overrides applied
    std::uint64_t seed = 1;
    /// Rank the configuration space by the model as well.
    bool rank = true;
    /// Of the model that ranks; empty: default_variant().
    std::optional<ModelVariant> variant = {};
    std::optional<Calibration> calibration = {}; ///< empty: fitted on the simulated device
};

/// The answer of the whole chain; a value that the command line, the window and the report all
/// render. The launch was simulated on the device with the kernel's registers and arithmetic.
struct StudyResult : LaunchResult {
    StudyRequest request;
    LoopNest nest;
    std::string kernel_text; ///< native back end
    Calibration calibration;
    Prediction prediction;
    VariantChoice variant; ///< whose time is the prediction, and that ranks
    Ranking ranking;       ///< empty unless asked for
};

/// Runs the chain: loop nest, kernel text, simulation with heat maps, histograms, prediction,
/// ranking. Throws bad_input for a configuration that is illegal or breaks a limit of the device,
/// Interrupted when `stop` answers true.
[[nodiscard]] StudyResult run_study(const StudyRequest& request, const Progress& progress = {},
                                    const StopToken& stop = {});

} // namespace texelscope::workbench::study
