#pragma once

#include "base/progress.hpp"
#include "base/stop.hpp"
#include "devices/kernels/opencl_device.hpp"
#include "devices/profile/device_profile.hpp"
#include "experiments/networks/network_search.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace texelscope::experiments {

struct TuningOptions {
    std::string parts = "ATGRM";  ///< letters of the parts of schedules that are tried
    std::size_t candidates = 24;  ///< of each kernel, at most
    std::size_t of_a_class = 4;   ///< of those, with weights in the same patterns and memories
    int samples = 5;              ///< of each candidate
};

/// Candidates of one kernel, each run alone.
struct TunedKernel {
    double planned_ns = 0; ///< median of the schedule that the model chose
    double best_ns = 0;    ///< of the fastest
    int measured = 0;      ///< candidates
    int failed = 0;        ///< that the device could not build or run
};

/// Runs the model's first schedules of each kernel on the device, one kernel at a time on drawn numbers, and puts the fastest into
/// the plan. Values stay where the plan has them; weights may move. So that not all candidates are of one kind, at most so many have
/// their weights in the same patterns and memories. Kernels of one text are tuned once; the result is by kernel of the plan. The
/// plan's predicted times follow. Throws Interrupted, bad_input where a kernel runs under no schedule at all.
[[nodiscard]] std::vector<TunedKernel> tune_plan(PredictedPlan& planned, const DeviceProfile& profile,
                                                 const devices::OpenClDevice& device, const TuningOptions& options = {},
                                                 const Progress& progress = {}, const StopToken& stop = {});

} // namespace texelscope::experiments
