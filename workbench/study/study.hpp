#pragma once

#include "codegen/operators/operator.hpp"
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
    bool rank = true;                            ///< rank the configuration space by the model as well
    std::optional<ModelVariant> variant = {};    ///< of the model that ranks; empty: default_variant()
    std::optional<Calibration> calibration = {}; ///< empty: fitted on the simulated device
};

/// The answer of the whole chain; a value that the command line, the window and the report all render. The launch was
/// simulated on the device with the kernel's registers and arithmetic.
struct StudyResult : LaunchResult {
    StudyRequest request;
    LoopNest nest;
    std::string kernel_text; ///< native back end
    Calibration calibration;
    Prediction prediction;
    VariantChoice variant; ///< whose time is the prediction, and that ranks
    Ranking ranking;       ///< empty unless asked for
};

/// Runs the chain: loop nest, kernel text, simulation with heat maps, histograms, prediction, ranking. Throws bad_input
/// for a configuration that is illegal or breaks a limit of the device, Interrupted when `stop` answers true.
[[nodiscard]] StudyResult run_study(const StudyRequest& request, const Progress& progress = {},
                                    const StopToken& stop = {});

/// The options to simulate a nest with: the device's, and the registers and arithmetic of the kernel. Registers, and how many
/// warps they leave room for, are what the device's compiler tells, where it has one; else they are estimated. Throws as
/// KernelCompiler::of() does.
[[nodiscard]] SimulationOptions options_for(const LoopNest& nest, const DeviceProfile& device);

/// Sets the warps that local memory leaves room for, where a work-group of so many work-items takes that many bytes of it.
void set_local_memory(SimulationOptions& options, const DeviceProfile& device, std::int64_t bytes, std::int64_t items);

/// Sets the registers of a kernel that needs so many, in work-groups of so many work-items: what it can have, and what spills.
void set_registers(SimulationOptions& options, const DeviceProfile& device, int needed, std::int64_t items);

} // namespace texelscope::workbench::study
