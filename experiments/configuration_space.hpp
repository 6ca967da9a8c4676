#pragma once

#include "codegen/operator.hpp"
#include "devices/device_profile.hpp"

#include <cstdint>
#include <vector>

namespace texelscope {

/// Throws bad_input where a nest breaks a limit of the device: image sides, work-items of a work-group.
void check_limits(const LoopNest& nest, const DeviceProfile& device);

/// What a search chooses from.
struct SpaceOptions {
    std::vector<AccessPattern> patterns{all_access_patterns.begin(), all_access_patterns.end()};
    std::vector<std::int32_t> tile_sides{1, 2, 4, 8}; ///< along each output dimension
    std::int64_t smallest_group = 16;                 ///< work-items
    std::int64_t largest_group = 1024;                ///< work-items; the device's limit holds as well
};

/// The part of a configuration that decides text and images.
struct KernelChoice {
    std::vector<AccessPattern> patterns;
    std::vector<std::int32_t> tile;
};
/// The part that decides which work-items run together. Sides are powers of two.
struct GroupChoice {
    std::array<std::int32_t, 2> warp{};
    Dim3 group{};
};

/// The space is the product of the two lists; every element is legal on the device and within its limits.
/// Group sides above the smallest power of two that covers the output are left out, as are tile sides.
struct ConfigurationSpace {
    std::vector<KernelChoice> kernels;
    std::vector<GroupChoice> groups;

    [[nodiscard]] std::int64_t size() const
    {
        return static_cast<std::int64_t>(kernels.size()) * static_cast<std::int64_t>(groups.size());
    }
    /// Number `index` in [0, size()): groups vary fastest.
    [[nodiscard]] Schedule at(std::int64_t index) const;
};

[[nodiscard]] ConfigurationSpace configuration_space(const Operator& op, const DeviceProfile& device,
                                                     const SpaceOptions& options = {});

} // namespace texelscope
