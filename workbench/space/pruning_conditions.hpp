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

/// The device's limits that the pruning criteria need, as far as the profile knows them. A value
/// counts as known where the profile gives it or where it differs from the program's default.
[[nodiscard]] PruningLimits pruning_limits(const DeviceProfile& device);

/// The footprint of a kernel on the device. Where the device has a compiler, it includes the
/// spilled registers that the compiler reports.
[[nodiscard]] KernelFootprint kernel_footprint(const LoopNest& nest, const DeviceProfile& device);

/// Every pruning criterion that excludes this very configuration, with the numbers that it
/// compares.
[[nodiscard]] std::vector<Rejection> rejections(const LoopNest& nest, const Schedule& schedule,
                                                const DeviceProfile& device);

/// Why the kernel is expected to spill registers to memory on the device, in one line; nothing
/// where it is not.
[[nodiscard]] std::optional<std::string> spill_reason(const LoopNest& nest,
                                                      const DeviceProfile& device);

/// The footprint of a kernel with a work-group of that shape, from one nest that is built small.
[[nodiscard]] KernelFootprint kernel_footprint(const Operator& op, const KernelChoice& kernel,
                                               const Dim3& group);

/// The footprints of all kernels of a space. One nest is built for each kernel text, and a second
/// one where a group has one work-item along an axis with a single tile.
class SpaceFootprints {
public:
    SpaceFootprints(const Operator& op, const ConfigurationSpace& space,
                    const std::function<void(double)>& progress = {}, const StopToken& stop = {});

    /// Asks the device's compiler which kernels spill registers, each with one work-group. The
    /// device must have a compiler.
    void compile(const DeviceProfile& device, const ConfigurationSpace& space,
                 const StopToken& stop = {});

    [[nodiscard]] const KernelFootprint& of(std::size_t kernel, const Dim3& group) const;
    /// The footprints of the same kernels with tensors stored otherwise: the bytes of a texel
    /// change, and numbers of single precision take full registers.
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
