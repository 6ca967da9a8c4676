#pragma once

#include "base/progress.hpp"
#include "codegen/nest/access_pattern.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "devices/profile/device_profile.hpp"
#include "sim/observers/cross_block_histogram.hpp"
#include "sim/result/heat_map.hpp"
#include "sim/simulate.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace texelscope::workbench::study {

/// One image of a launch: where it was read and missed, and the strides of a work-item.
struct StudyImage {
    Image image;
    /// That it is packed by; nothing for a trace, which does not say.
    std::optional<AccessPattern> pattern;
    /// The tensor that it holds, and where; nothing for a trace.
    std::optional<Operand> operand;
    std::vector<HeatMap> heat; ///< one of each HeatQuantity, in the order of the enum
    /// Of work-item 0 of group 0; of a trace, the mean over its work-items.
    CrossBlockHistogram histogram;

    [[nodiscard]] const HeatMap& map(HeatQuantity quantity) const
    {
        return heat[static_cast<std::size_t>(quantity)];
    }
};

/// A launch on a simulated device, wherever it came from: all that can be shown without knowing its
/// operator.
struct LaunchResult {
    std::string name;                          ///< operator and configuration, or the trace
    std::string device_name;                   ///< of the profile
    std::shared_ptr<const TraceSource> source; ///< may be read from several threads at once
    SimulationOptions options;                 ///< what was simulated; untimed
    SimulationResult simulation;               ///< untimed: the heat maps are its
    /// The same launch in timed mode, with what it reads of buffers.
    SimulationResult timed;
    std::vector<StudyImage> images;
};

/// What is simulated in time in a launch's place: the same kernel with its buffers
/// (buffers_as_rows()).
struct TimedLaunch {
    std::shared_ptr<const TraceSource> source;
    SimulationOptions options;
};

/// Simulates a launch twice, without and with time, and fills in heat maps. `in_time`: in its place
/// with time, where it is given. Patterns, operands and histograms are left to the caller. Throws
/// bad_input where the images need more memory than there is, Interrupted when `stop` answers true.
/// `progress` goes from 0 to 1.
[[nodiscard]] LaunchResult run_launch(std::string name, std::shared_ptr<const TraceSource> source,
                                      std::string device_name, const SimulationOptions& options,
                                      const Progress& progress = {}, const StopToken& stop = {},
                                      const std::optional<TimedLaunch>& in_time = {});

/// Time of a kernel on the simulated device, whether its inputs lie in images, in buffers, or some
/// in either; from a sample of that many warp accesses where it has more (sampled_time()); 0: all
/// are simulated, whatever the time. Throws as buffer_path() does where there are buffers.
[[nodiscard]] Nanoseconds simulated_time(const LoopNest& nest, const DeviceProfile& device,
                                         std::int64_t most_accesses, const StopToken& stop = {});

} // namespace texelscope::workbench::study
