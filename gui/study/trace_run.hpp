#pragma once

#include "devices/profile/device_profile.hpp"
#include "experiments/study/launch_result.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace texelscope::gui {

/// A launch of a trace file, to be simulated on a device.
struct TraceRequest {
    std::string path;
    int launch = 0; ///< of a native trace
    DeviceProfile device;
};

/// What became of it.
struct TraceResult : LaunchResult {
    TraceRequest request;
    std::vector<std::string> launches; ///< all that the file has, for people to choose from
    std::int64_t left_out = 0;         ///< reads of images with layers, which are not simulated
};

/// Reads and simulates it. Throws bad_input for a file that is damaged or has no such launch, Interrupted when `stop`
/// answers true.
[[nodiscard]] TraceResult run_trace(const TraceRequest& request, const Progress& progress = {},
                                    const StopToken& stop = {});

} // namespace texelscope::gui
