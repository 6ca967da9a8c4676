#pragma once

#include "base/stop.hpp"
#include "devices/kernels/opencl_device.hpp"
#include "networks/execution/network_job.hpp"
#include "networks/plan/kernel_operator.hpp"

#include <cstdint>
#include <map>
#include <vector>

namespace texelscope::workbench::network_studies {

/// Comparison of a tensor with the reference: the largest difference, relative to the reference's
/// largest number.
struct TensorCheck {
    double error = 0;
    bool passed = false; ///< error at most what is allowed

    bool operator==(const TensorCheck&) const = default;
};
/// The largest error that is allowed. A tensor is compared with the reference computed from the
/// network's inputs; in half precision, and in training, with the reference computed from the
/// tensors that the device has stored before it.
[[nodiscard]] double allowed_tensor_error(Storage storage);

/// The result of running a plan on a device.
struct NetworkMeasurement {
    std::string device;
    /// By kernel: median time in ns, including the clearing of its output where that is needed.
    std::vector<double> kernel_ns;
    /// By kernel: the share of the runs in which it is launched.
    std::vector<double> share;
    /// Median time in ns from the start of the first kernel to the end of the last.
    double whole_ns = 0;
    double wall_ns = 0;          ///< median time of a run in ns by the host's clock
    std::vector<double> samples; ///< whole_ns of each run
    /// TensorCheck::error that is allowed, where tensors are checked.
    double allowed_error = 0;
    networks::TensorNumbers found; ///< values that were kept, the outputs among them
    /// By value: its numbers in each run, where that was asked for.
    std::map<networks::ValueId, std::vector<std::vector<float>>> fetched;
    /// By value that a kernel makes: its check, where that was asked for.
    std::map<networks::ValueId, TensorCheck> checked;

    /// Time in ns of all kernels of a run, on average over runs.
    [[nodiscard]] double in_kernels() const;
    [[nodiscard]] std::int64_t failed() const; ///< number of failed checks
    [[nodiscard]] const TensorCheck* check_of(networks::ValueId value) const;
};

/// Numbers drawn from [-1, 1] for every input of a network.
[[nodiscard]] networks::TensorNumbers drawn_inputs(const networks::Graph& graph,
                                                   std::uint64_t seed);

/// Runs a plan of the graph on a device. Where inputs are carried from run to run, there are as
/// many runs as samples, or more if some kernel would not have run once. `check`: compares every
/// tensor of the first run with the reference in double precision. Outputs are always kept. For a
/// plan with an arena, the outputs are those of the run inside the arena; other tensors are from a
/// run in which no values share memory. Throws bad_input, with what the compiler said, where a
/// kernel exceeds a limit of the device or fails; Interrupted.
[[nodiscard]] NetworkMeasurement
measure_network(const networks::Graph& graph, const networks::Plan& plan,
                const networks::TensorNumbers& inputs, const devices::OpenClDevice& device,
                networks::NetworkRunOptions options, bool check, const StopToken& stop = {});

} // namespace texelscope::workbench::network_studies
