#pragma once

#include "base/progress.hpp"
#include "base/stop.hpp"
#include "base/units.hpp"
#include "codegen/operators/operator.hpp"
#include "devices/kernels/opencl_device.hpp"
#include "devices/profile/device_profile.hpp"
#include "sim/simulate.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace texelscope::workbench::probes {

/// A kernel and how long it took.
struct TimedKernel {
    Operator op;
    Schedule schedule;
    Nanoseconds time{0};
};

/// Small kernels to be timed. They differ in their shares of reads, arithmetic, writes and
/// exponentials, and have shapes that nothing else uses. Their work-groups fit every profile.
[[nodiscard]] std::vector<TimedKernel> kernels_to_fit();

/// Runs the kernels and sets their times (medians); those that fail or whose output is wrong are
/// left out. Throws Interrupted.
[[nodiscard]] std::vector<TimedKernel> timed_kernels(std::vector<TimedKernel> kernels,
                                                     const OpenClDevice& device, std::uint64_t seed,
                                                     const Progress& progress = {},
                                                     const StopToken& stop = {});

/// The profile `base` with the costs of instructions and of a launch fitted to the kernels' times:
/// alu.lanes, issue.read, issue.store, issue.exponential, issue.reads_in_flight and launch.
/// Coordinate descent over these minimises the root mean square of log(time / predicted), with
/// times predicted by the bottleneck model. `where`: the device, for the values' sources. Throws
/// bad_input without kernels.
[[nodiscard]] DeviceProfile fitted_profile(DeviceProfile base,
                                           const std::vector<TimedKernel>& kernels,
                                           const std::string& where, const StopToken& stop = {});

/// Root mean square of log(time / predicted) by the bottleneck model.
[[nodiscard]] double log_error(const DeviceProfile& profile,
                               const std::vector<TimedKernel>& kernels, const StopToken& stop = {});

} // namespace texelscope::workbench::probes
