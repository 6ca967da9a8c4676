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
    double timeout_seconds = 60; ///< limit for one run of all kernels
    /// Values to read back at the end. For a carried input it is the value that has taken its place
    /// by then.
    std::vector<ValueId> keep;
    /// For networks whose runs continue from each other (Graph::carried): the numbers of inputs for
    /// each run in turn, and the values to read back after each run.
    std::map<ValueId, std::vector<std::vector<float>>> feeds = {};
    std::vector<ValueId> fetch = {};
};

/// Makes one job of a plan. Every kernel is a step, each kernel text is built once, and values and
/// constants stay on the device from the beginning to the end. Memory that kernels write is filled
/// with NaN first, so that an element that no kernel writes is noticed. Values share memory as
/// memory_plan() says, unless other values than the network's outputs are kept. Memory that must be
/// cleared is cleared by a step of its own (is_clearing()). If the network has carried inputs, each
/// sample is a run that continues from the one before, and there is no warm-up. Throws bad_input
/// where the inputs are not those of the network.
[[nodiscard]] devices::Job network_job(const Plan& plan, const TensorNumbers& inputs,
                                       codegen::TexelBackend backend,
                                       const devices::OpenClDeviceInfo& device,
                                       const NetworkRunOptions& options);

/// Whether a step of such a job only clears memory: it writes the zeros between the elements of the
/// value that the next step makes.
[[nodiscard]] bool is_clearing(const devices::JobStep& step);

/// From the result of that job, the numbers of each fetched value after every run.
[[nodiscard]] std::map<ValueId, std::vector<std::vector<float>>>
fetched_values(const Plan& plan, const NetworkRunOptions& options,
               const devices::JobResult& result);

/// From the result of that job, the numbers of the values that were kept.
[[nodiscard]] TensorNumbers kept_values(const Plan& plan, const NetworkRunOptions& options,
                                        const devices::JobResult& result);

} // namespace texelscope::networks
