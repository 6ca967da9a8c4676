#pragma once

#include "base/progress.hpp"
#include "base/stop.hpp"
#include "devices/kernels/opencl_device.hpp"
#include "devices/profile/device_profile.hpp"
#include "workbench/network_studies/network_search.hpp"
#include "workbench/store/result_store.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace texelscope::workbench::network_studies {

/// Candidates of one kernel, each timed alone.
struct TunedKernel {
    double planned_ns = 0; ///< of the schedule that the model chose
    double best_ns = 0;    ///< of the fastest, wherever its values lie
    int timed = 0;         ///< candidates
    int failed = 0;        ///< that could not run
};

/// Who times kernels.
struct KernelTimer {
    /// The time of a kernel alone, in ns; nothing where it cannot run. `made`: of each input,
    /// whether it was made just before.
    std::function<std::optional<double>(const LoopNest& nest, const std::vector<bool>& made)> time;
    ResultKey key; ///< but for kernel and program: what the times hang on
};

/// Median of runs on drawn numbers. The device must outlive it; it throws Interrupted.
[[nodiscard]] KernelTimer time_on(const devices::OpenClDevice& device, int samples,
                                  const StopToken& stop = {});
/// Of a sample of so many warp accesses on the simulated device (simulated_alone()). Likewise.
[[nodiscard]] KernelTimer time_on(const DeviceProfile& device, std::int64_t most_accesses,
                                  const StopToken& stop = {});

/// The timer, but for kernels whose time is in the store; what it times goes into the store at
/// once, so that a search that was interrupted goes on. The store must outlive it. `program`: its
/// version.
[[nodiscard]] KernelTimer remembering(KernelTimer timer, ResultStore& store,
                                      const std::string& program);

/// Times the plan's schedule and the candidates of each kernel, and puts the fastest into the plan.
/// Weights and values may move: a value that several kernels read lies as is fastest for all of
/// them together. What is alike is timed once; the result is by kernel of the plan. The plan's
/// predicted times, of `device`, follow. Throws what the timer does, and bad_input where a kernel
/// runs under no schedule at all.
[[nodiscard]] std::vector<TunedKernel>
tune_plan(PredictedPlan& planned, const DeviceProfile& device, const KernelTimer& timer,
          const Progress& progress = {}, const StopToken& stop = {});

} // namespace texelscope::workbench::network_studies
