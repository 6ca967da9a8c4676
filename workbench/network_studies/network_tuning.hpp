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

/// The outcome of tuning one kernel by timing its candidates alone.
struct TunedKernel {
    double planned_ns = 0; ///< time of the schedule that the model chose
    double best_ns = 0;    ///< time of the fastest candidate, wherever its values lie
    int timed = 0;         ///< candidates that were timed
    int failed = 0;        ///< candidates that could not run
};

/// Something that times kernels: a device or the simulator.
struct KernelTimer {
    /// The time of a kernel alone, in ns; nothing where it cannot run. `made`: of each input,
    /// whether it was made just before.
    std::function<std::optional<double>(const LoopNest& nest, const std::vector<bool>& made)> time;
    /// What the times depend on; kernel and program are filled in for each row.
    ResultKey key;
};

/// Times kernels on a device: the median of runs with random inputs. The device must outlive the
/// timer, which throws Interrupted.
[[nodiscard]] KernelTimer time_on(const devices::OpenClDevice& device, int samples,
                                  const StopToken& stop = {});
/// Times kernels on the simulated device, by a sample of `most_accesses` warp accesses
/// (simulated_alone()). The device must outlive the timer, which throws Interrupted.
[[nodiscard]] KernelTimer time_on(const DeviceProfile& device, std::int64_t most_accesses,
                                  const StopToken& stop = {});

/// The timer with a memory: it takes the times of known kernels from the store and adds others to
/// the store at once, so that an interrupted search can go on. The store must outlive it.
/// `program`: the program's version.
[[nodiscard]] KernelTimer remembering(KernelTimer timer, ResultStore& store,
                                      const std::string& program);

/// Times the plan's schedule and the candidates of each kernel, and puts the fastest into the plan.
/// Weights and values may get other layouts; a value with several readers gets the layout that is
/// fastest for all of them together. Equal kernels are timed once. The result is by kernel of the
/// plan, whose predicted times on `device` are updated. Throws what the timer throws, and bad_input
/// where a kernel runs under no schedule at all.
[[nodiscard]] std::vector<TunedKernel>
tune_plan(PredictedPlan& planned, const DeviceProfile& device, const KernelTimer& timer,
          const Progress& progress = {}, const StopToken& stop = {});

} // namespace texelscope::workbench::network_studies
