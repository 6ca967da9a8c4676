#pragma once

#include "base/progress.hpp"
#include "codegen/nest/access_pattern.hpp"
#include "codegen/nest/operand.hpp"
#include "devices/profile/device_profile.hpp"
#include "sim/observers/cross_block_histogram.hpp"
#include "sim/result/heat_map.hpp"
#include "sim/simulate.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace texelscope::codegen {
struct LoopNest;
} // namespace texelscope::codegen

namespace texelscope::workbench::study {

/// One image of a launch: where it was read and missed, and the strides of a work-item.
struct StudyImage {
    Image image;
    /// The access pattern by which a tensor is packed into it; nothing for a trace, which does not
    /// say.
    std::optional<AccessPattern> pattern;
    /// The tensor that it holds, and how the tensor lies in it; nothing for a trace.
    std::optional<Operand> operand;
    std::vector<HeatMap> heat; ///< one map of each HeatQuantity, in the order of the enum
    /// Strides between successive reads of work-item 0 of group 0; of a trace, the mean over its
    /// work-items.
    CrossBlockHistogram histogram;

    [[nodiscard]] const HeatMap& map(HeatQuantity quantity) const
    {
        return heat[static_cast<std::size_t>(quantity)];
    }
};

/// A launch on a simulated device, of a generated kernel or from a trace: all that can be shown
/// without knowing its operator.
struct LaunchResult {
    std::string name;                          ///< operator and configuration, or the trace
    std::string device_name;                   ///< name of the profile
    std::shared_ptr<const TraceSource> source; ///< may be read from several threads at once
    SimulationOptions options;                 ///< of the untimed simulation
    SimulationResult simulation;               ///< untimed result; the heat maps belong to it
    /// Result of the timed mode for the same launch, including its reads of buffers.
    SimulationResult timed;
    std::vector<StudyImage> images;
};

/// What the timed mode simulates in place of a launch: the same kernel with its buffers as images
/// of one row (buffers_as_rows()).
struct TimedLaunch {
    std::shared_ptr<const TraceSource> source;
    SimulationOptions options;
};

/// Simulates a launch twice, untimed (with heat maps) and timed. `in_time`: where given, what the
/// timed mode simulates instead. Patterns, operands and histograms of the images are left to the
/// caller. `progress` goes from 0 to 1. Throws bad_input where the heat maps need more memory than
/// there is, Interrupted when `stop` answers true.
[[nodiscard]] LaunchResult run_launch(std::string name, std::shared_ptr<const TraceSource> source,
                                      std::string device_name, const SimulationOptions& options,
                                      const Progress& progress = {}, const StopToken& stop = {},
                                      const std::optional<TimedLaunch>& in_time = {});

/// Which part of a launch is simulated.
struct SimulatedPart {
    /// Of a launch with more warp accesses only so many are simulated, as a sample
    /// (sampled_time()); 0: all are, however long that takes.
    std::int64_t most_accesses = 20'000;
    /// The first wave of one core in place of that: much sooner, and roughly (first_wave_time()).
    bool first_wave = false;
};

/// Time of a kernel on the simulated device, with inputs in images, in buffers, or in both. Throws
/// as buffer_path() does where there are buffers.
[[nodiscard]] Nanoseconds simulated_time(const LoopNest& nest, const DeviceProfile& device,
                                         const SimulatedPart& part, const StopToken& stop = {});
/// The same by sampled_time().
[[nodiscard]] Nanoseconds simulated_time(const LoopNest& nest, const DeviceProfile& device,
                                         std::int64_t most_accesses, const StopToken& stop = {});

} // namespace texelscope::workbench::study
