#pragma once

#include "base/progress.hpp"
#include "base/stop.hpp"
#include "codegen/passes/pruning.hpp"
#include "devices/profile/device_profile.hpp"
#include "workbench/space/narrowed.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace texelscope::workbench::space {

/// What a profile knows of what the criteria need. A value counts as known where the profile gives
/// it or it differs from the program's default.
[[nodiscard]] PruningLimits pruning_limits(const DeviceProfile& device);

/// The kernel's footprint on the device: with the spills that its compiler tells, where it has one.
[[nodiscard]] KernelFootprint kernel_footprint(const LoopNest& nest, const DeviceProfile& device);

/// Why the kernel is expected to keep values in memory that find no register on the device, in one
/// line; nothing: it is not.
[[nodiscard]] std::optional<std::string> spill_reason(const LoopNest& nest,
                                                      const DeviceProfile& device);

/// The kernel's footprint under a work-group of that shape, from one nest that is built small.
[[nodiscard]] KernelFootprint kernel_footprint(const Operator& op, const KernelChoice& kernel,
                                               const Dim3& group);

/// The footprints of all kernels of a space. One nest is built for each text, and a second where a
/// group has one work-item along an axis of one tile.
class SpaceFootprints {
public:
    SpaceFootprints(const Operator& op, const ConfigurationSpace& space,
                    const std::function<void(double)>& progress = {}, const StopToken& stop = {});

    /// Asks the device's compiler, which it must have, which kernels keep registers in memory, each
    /// in one work-group.
    void compile(const DeviceProfile& device, const ConfigurationSpace& space,
                 const StopToken& stop = {});

    [[nodiscard]] const KernelFootprint& of(std::size_t kernel, const Dim3& group) const;
    /// The same kernels with other numbers in their tensors: the bytes of a texel change, and
    /// single numbers have no registers of half precision.
    [[nodiscard]] SpaceFootprints stored_as(Storage storage) const;

private:
    using ByGroup = std::map<Dim3, KernelFootprint>; ///< by representative work-group
    Operator op_;
    std::vector<KernelChoice> kernels_;
    std::vector<ByGroup> texts_;
    std::vector<std::size_t> text_; ///< of each kernel
};

/// The criteria of the options, in the order of all_pruning_criteria, as conditions on whole
/// elements of the footprints' space; each is asked always. They refer to the footprints.
[[nodiscard]] std::vector<SpaceCondition> pruning_conditions(const SpaceFootprints& footprints,
                                                             const PruningLimits& limits,
                                                             const PruningOptions& options);

} // namespace texelscope::workbench::space
