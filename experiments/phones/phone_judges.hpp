#pragma once

#include "base/stop.hpp"
#include "devices/profile/device_profile.hpp"
#include "workbench/kernel_logs/measured_tasks.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace texelscope::experiments {

/// Which judges are asked about measured kernels.
struct PhoneJudges {
    bool model = true;             ///< the bottleneck model
    bool simulator = true;         ///< the timed simulator
    std::int64_t sample = 20'000;  ///< warp accesses of each simulated time (sampled_time())
    std::int64_t longest = 80'000; ///< kernels that cannot be cut to as few are left out
};

/// What they say of one kernel.
struct PhoneTimes {
    double model_ns = 0, simulator_ns = 0; ///< of the kernel alone; 0 where not asked
    double copies_ns = 0;                  ///< of its inputs into images, before it
    /// What the kernel has in common with others (residuals_by_trait()): its largest bound by the
    /// model, and forms that cost.
    std::vector<std::string> traits = {};
    std::string refusal = {}; ///< why there are no times; empty where there are
};

/// The device at its slow clock: the public logs of an Adreno 740 are at 680 and at 220 MHz. Memory
/// keeps its rate and latency in seconds, since its clock is another one.
[[nodiscard]] DeviceProfile at_clock(DeviceProfile device, workbench::kernel_logs::Clock clock);

/// Asks about a kernel on a device, which is at the kernel's clock already. Throws Interrupted.
[[nodiscard]] PhoneTimes judged(const workbench::kernel_logs::LoggedKernel& kernel,
                                const DeviceProfile& device, const PhoneJudges& judges,
                                const StopToken& stop = {});

} // namespace texelscope::experiments
