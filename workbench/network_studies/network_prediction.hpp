#pragma once

#include "base/progress.hpp"
#include "base/stop.hpp"
#include "base/units.hpp"
#include "devices/profile/device_profile.hpp"
#include "networks/plan/plan.hpp"
#include "sim/options/occupancy.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace texelscope::workbench::network_studies {

/// A part of the time of one kernel or of several.
struct TimePart {
    std::string name;
    Nanoseconds time{0};
    std::int64_t kernels = 1; ///< that it is of
};

/// What the bottleneck model says of a kernel of a network.
struct KernelPrediction {
    /// By what decides them (bottlenecks()), the launch, and what clears its output before; empty
    /// where there is no time.
    std::vector<TimePart> parts;
    double waves = 0;       ///< of work-groups, one after the other
    Occupancy occupancy;    ///< of a core
    std::string limited_by; ///< what keeps more warps from being there, with its numbers
    std::string why_not;    ///< one line, where there is no time

    /// Of all parts.
    [[nodiscard]] std::optional<Nanoseconds> time() const;
    /// The part that takes most; of several, the first. Null where there is no time.
    [[nodiscard]] const TimePart* bottleneck() const;
};

/// What it takes to fill an operand's memory with zeros: the bytes through the port of L2, as the
/// model has stores, and a launch.
[[nodiscard]] Nanoseconds clearing_time(const Operand& operand, const DeviceProfile& device);

/// Every kernel of a plan, as the network runs it: under the plan's schedule, with its tensors in
/// the plan's layouts. To the model each is a launch of its own. Throws Interrupted.
[[nodiscard]] std::vector<KernelPrediction> predict_network(const networks::Plan& plan,
                                                            const DeviceProfile& device,
                                                            const Progress& progress = {},
                                                            const StopToken& stop = {});

/// Of all kernels, what takes most first. By bottleneck: the time that it decides of any kernel,
/// and the kernels of which it decides more than others do; what decides nothing is left out.
[[nodiscard]] std::vector<TimePart>
parts_by_bottleneck(const std::vector<KernelPrediction>& kernels);
/// By kernel_kind().
[[nodiscard]] std::vector<TimePart> parts_by_kind(const networks::Plan& plan,
                                                  const std::vector<KernelPrediction>& kernels);

/// The operator that a kernel is of, without what it takes in, and of convolutions the sides of
/// their windows: "Conv 3x3", "Conv 3x3 depthwise", "MatMul"; "conversion".
[[nodiscard]] std::string kernel_kind(const networks::Plan& plan, std::size_t kernel);

} // namespace texelscope::workbench::network_studies
