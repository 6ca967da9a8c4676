#pragma once

#include "base/progress.hpp"
#include "base/stop.hpp"
#include "base/units.hpp"
#include "devices/profile/device_profile.hpp"
#include "networks/plan/plan.hpp"
#include "sim/options/occupancy.hpp"
#include "workbench/study/bottlenecks.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace texelscope::workbench::network_studies {

/// What the bottleneck model says of a kernel of a network.
struct KernelPrediction {
    /// The time in parts: time_parts(), and the clearing of its output before. Empty where there is
    /// no time.
    std::vector<TimePart> parts;
    double waves = 0;       ///< waves of work-groups, one after the other
    Occupancy occupancy;    ///< warps that a core holds
    std::string limited_by; ///< what keeps a core from holding more warps, with its numbers
    std::string why_not;    ///< where there is no time, why not, in one line

    /// The sum of all parts; nothing where there is no time.
    [[nodiscard]] std::optional<Nanoseconds> time() const;
    /// largest_part(); null where there is no time.
    [[nodiscard]] const TimePart* bottleneck() const { return largest_part(parts); }
};

/// The time to fill an operand's memory with zeros: a launch, and the bytes through the port of L2,
/// as the model prices stores.
[[nodiscard]] Nanoseconds clearing_time(const Operand& operand, const DeviceProfile& device);

/// Predicts every kernel of a plan as the network runs it: with the plan's schedule and its tensors
/// in the plan's layouts. The model treats each kernel as a launch of its own. Throws Interrupted.
[[nodiscard]] std::vector<KernelPrediction> predict_network(const networks::Plan& plan,
                                                            const DeviceProfile& device,
                                                            const Progress& progress = {},
                                                            const StopToken& stop = {});

/// The time of all kernels by bottleneck, the largest part first. A part's time is summed over all
/// kernels; its `kernels` are those of which it is the largest part. Bottlenecks without time are
/// left out.
[[nodiscard]] std::vector<TimePart>
parts_by_bottleneck(const std::vector<KernelPrediction>& kernels);
/// The time of all kernels by kernel_kind(), the largest first.
[[nodiscard]] std::vector<TimePart> parts_by_kind(const networks::Plan& plan,
                                                  const std::vector<KernelPrediction>& kernels);

/// The kind of a kernel: its operator without those fused into it, for convolutions with the sides
/// of their windows. "Conv 3x3", "Conv 3x3 depthwise", "MatMul"; "conversion".
[[nodiscard]] std::string kernel_kind(const networks::Plan& plan, std::size_t kernel);

} // namespace texelscope::workbench::network_studies
