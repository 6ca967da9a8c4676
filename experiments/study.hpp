#pragma once

#include "codegen/operator.hpp"
#include "devices/device_profile.hpp"
#include "experiments/configuration_space.hpp"
#include "experiments/prediction.hpp"
#include "sim/cross_block_histogram.hpp"
#include "sim/heat_map.hpp"
#include "sim/simulate.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace texelscope {

/// How far a long job is: what it does now, and the fraction done in [0, 1]. Called from the thread that works.
using Progress = std::function<void(const std::string& stage, double fraction)>;

/// The question: one operator, one configuration, one device.
struct StudyRequest {
    Operator op;
    Schedule schedule;
    DeviceProfile device; ///< with the `--set` overrides applied
    std::uint64_t seed = 1;
    bool rank = true;                             ///< rank the configuration space by the model as well
    ModelVariant variant = ModelVariant::literal; ///< of the model that ranks
    std::optional<Calibration> calibration = {};  ///< empty: fitted on the simulated device
};

/// One image of the study: where it was read and missed, and the strides of one work-item.
struct StudyImage {
    Image image;
    AccessPattern pattern = AccessPattern::row;
    std::vector<HeatMap> heat;     ///< one of each HeatQuantity, in the order of the enum
    CrossBlockHistogram histogram; ///< of work-item 0 of group 0

    [[nodiscard]] const HeatMap& map(HeatQuantity quantity) const { return heat[static_cast<std::size_t>(quantity)]; }
};

/// The answer of the whole chain; a value that the command line, the window and the report all render.
struct StudyResult {
    StudyRequest request;
    LoopNest nest;
    std::string kernel_text;     ///< native back end
    SimulationOptions options;   ///< what was simulated: the device with the kernel's registers and arithmetic
    SimulationResult simulation; ///< untimed: the heat maps are its
    SimulationResult timed;      ///< the same launch in timed mode
    std::vector<StudyImage> images;
    Calibration calibration;
    Prediction prediction;
    Ranking ranking; ///< empty unless asked for
};

/// Runs the chain: loop nest, kernel text, simulation with heat maps, histograms, prediction, ranking. Throws bad_input
/// for a configuration that is illegal or breaks a limit of the device, Interrupted when `stop` answers true.
[[nodiscard]] StudyResult run_study(const StudyRequest& request, const Progress& progress = {},
                                    const StopToken& stop = {});

/// The options to simulate a nest with: the device's, and the registers and arithmetic of the kernel.
[[nodiscard]] SimulationOptions options_for(const LoopNest& nest, const DeviceProfile& device);

} // namespace texelscope
