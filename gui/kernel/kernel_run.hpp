#pragma once

#include "experiments/study/checked_run.hpp"
#include "experiments/study/study.hpp"

#include <string>

namespace texelscope::gui {

/// A kernel as it is to be run: the nest of an operator under one schedule.
struct KernelRunRequest {
    Operator op;
    LoopNest nest;
    std::string device; ///< selector of choose_device()
    std::uint64_t seed = 1;
    int samples = 7;
};

struct KernelRun {
    OpenClDeviceInfo device;
    CheckedRun run;
    double flops = 0; ///< of the operator
};

/// Opens the device, computes the reference, builds, runs and checks. Throws missing where there is no such device,
/// Interrupted when `stop` answers true; whatever the device makes of the kernel is the result's status.
[[nodiscard]] KernelRun run_kernel(const KernelRunRequest& request, const Progress& progress = {},
                                   const StopToken& stop = {});

} // namespace texelscope::gui
