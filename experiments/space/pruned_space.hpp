#pragma once

#include "base/progress.hpp"
#include "base/stop.hpp"
#include "codegen/passes/pruning.hpp"
#include "experiments/space/configuration_space.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace texelscope::experiments {

/// What a profile knows of what the criteria need. A value counts as known where the profile gives it or it differs from
/// the program's default.
[[nodiscard]] PruningLimits pruning_limits(const DeviceProfile& device);

/// The kernel's footprint under a work-group of that shape, from one nest that is built small.
[[nodiscard]] KernelFootprint kernel_footprint(const Operator& op, const KernelChoice& kernel, const Dim3& group);

/// The footprints of all kernels of a space. One nest is built for each text, and a second where a group has one
/// work-item along an axis of one tile.
class SpaceFootprints {
public:
    SpaceFootprints(const Operator& op, const ConfigurationSpace& space,
                    const std::function<void(double)>& progress = {}, const StopToken& stop = {});

    [[nodiscard]] const KernelFootprint& of(std::size_t kernel, const Dim3& group) const;
    /// The same kernels with other numbers in their tensors: only the bytes of a texel change.
    [[nodiscard]] SpaceFootprints stored_as(Storage storage) const;

private:
    using ByGroup = std::map<Dim3, KernelFootprint>; ///< by representative work-group
    Operator op_;
    std::vector<KernelChoice> kernels_;
    std::vector<ByGroup> texts_;
    std::vector<std::size_t> text_; ///< of each kernel
};

/// A space with the elements that no criterion excludes.
struct PrunedSpace {
    using Counts = std::array<std::int64_t, all_pruning_criteria.size()>; ///< by criterion
    std::int64_t size = 0;
    std::vector<bool> kept; ///< by number in the space
    std::int64_t kept_count = 0;
    Counts alone{};                        ///< elements that a criterion excludes, whatever the others say
    Counts first{};                        ///< elements that it excludes first; these and kept_count add up to size
    std::vector<std::string> switched_off; ///< see switched_off()
};
/// Criteria that the options do not name count nothing.
[[nodiscard]] PrunedSpace prune_space(const ConfigurationSpace& space, const SpaceFootprints& footprints,
                                      const PruningLimits& limits, const PruningOptions& options);

} // namespace texelscope::experiments
