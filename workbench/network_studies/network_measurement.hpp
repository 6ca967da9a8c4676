#pragma once

#include "base/stop.hpp"
#include "devices/kernels/opencl_device.hpp"
#include "networks/execution/network_job.hpp"
#include "networks/plan/kernel_operator.hpp"

#include <cstdint>
#include <map>
#include <vector>

namespace texelscope::workbench::network_studies {

/// Largest difference of a tensor from the reference, relative to the reference's largest number.
struct TensorCheck {
    double error = 0;
    bool passed = false; ///< error at most what is allowed

    bool operator==(const TensorCheck&) const = default;
};
/// Of a tensor from the network's inputs; in half precision, and where it is trained, from what the
/// device has stored before it.
[[nodiscard]] double allowed_tensor_error(Storage storage);

/// What a device made of a plan.
struct NetworkMeasurement {
    std::string device;
    /// Medians, of each kernel with what clears its output before.
    std::vector<double> kernel_ns;
    /// Of the runs, those in which each kernel runs.
    std::vector<double> share;
    /// Median from the first's start to the last's end.
    double whole_ns = 0;
    double wall_ns = 0;            ///< median as the host sees it
    std::vector<double> samples;   ///< of the whole
    double allowed_error = 0;      ///< of a tensor, where they are checked
    networks::TensorNumbers found; ///< what was kept
    /// Of each run, where that was asked for.
    std::map<networks::ValueId, std::vector<std::vector<float>>> fetched;
    /// Of every value that a kernel makes, where that was asked for.
    std::map<networks::ValueId, TensorCheck> checked;

    /// In a run, on average.
    [[nodiscard]] double in_kernels() const;
    [[nodiscard]] std::int64_t failed() const; ///< checks
    [[nodiscard]] const TensorCheck* check_of(networks::ValueId value) const;
};

/// Every input of a network drawn in [-1, 1].
[[nodiscard]] networks::TensorNumbers drawn_inputs(const networks::Graph& graph,
                                                   std::uint64_t seed);

/// Runs a plan of the graph. Where inputs are carried from run to run, there are as many runs as
/// samples, or as there have to be for every kernel to run once. `check`: every tensor of the first
/// run against the reference in double precision. The outputs are found in any case; of a plan with
/// an arena they are those of the run in it, the others of one in which no values share memory.
/// Throws bad_input where a kernel is beyond the device, or fails, with what its compiler said;
/// Interrupted.
[[nodiscard]] NetworkMeasurement
measure_network(const networks::Graph& graph, const networks::Plan& plan,
                const networks::TensorNumbers& inputs, const devices::OpenClDevice& device,
                networks::NetworkRunOptions options, bool check, const StopToken& stop = {});

} // namespace texelscope::workbench::network_studies
