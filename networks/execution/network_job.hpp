#pragma once

#include "codegen/text/kernel_source.hpp"
#include "devices/jobs/job.hpp"
#include "devices/jobs/opencl_device_info.hpp"
#include "networks/plan/plan.hpp"

#include <map>
#include <string>
#include <vector>

namespace texelscope::networks {

/// Numbers of a network's tensors, by value.
using TensorNumbers = std::map<ValueId, std::vector<float>>;

struct NetworkRunOptions {
    int warm_up = 1;
    int samples = 5;
    double budget_seconds = 60;  ///< see Job
    double timeout_seconds = 60; ///< of all kernels once
    /// Values that come back; of an input that is carried: what has taken its place at the end.
    std::vector<ValueId> keep;
    /// Where runs go on from each other (Graph::carried): numbers of inputs of each run in turn,
    /// and values that come back after each run.
    std::map<ValueId, std::vector<std::vector<float>>> feeds = {};
    std::vector<ValueId> fetch = {};
};

/// A plan as one job: every kernel a step, each text built once, values and constants in memory
/// from the beginning to the end. What kernels write begins as no number, so that an element that
/// nobody writes is found; values share memory where no others than the network's outputs are kept,
/// as memory_plan() says. What it clears is cleared by a step of its own (is_clearing()). What
/// takes the place of a carried input lies there in the next run: then each sample is a run that
/// goes on from the one before, and there is no warm-up. Throws bad_input where the inputs are not
/// those of the network.
[[nodiscard]] devices::Job network_job(const Plan& plan, const TensorNumbers& inputs,
                                       codegen::TexelBackend backend,
                                       const devices::OpenClDeviceInfo& device,
                                       const NetworkRunOptions& options);

/// Whether a step of such a job writes the zeros between the elements of what the next one makes.
[[nodiscard]] bool is_clearing(const devices::JobStep& step);

/// Of every run, the numbers of the values that were fetched, from the result of that job.
[[nodiscard]] std::map<ValueId, std::vector<std::vector<float>>>
fetched_values(const Plan& plan, const NetworkRunOptions& options,
               const devices::JobResult& result);

/// The values that were kept, from the result of that job.
[[nodiscard]] TensorNumbers kept_values(const Plan& plan, const NetworkRunOptions& options,
                                        const devices::JobResult& result);

} // namespace texelscope::networks
