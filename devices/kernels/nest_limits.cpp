#include "devices/kernels/nest_limits.hpp"

#include "codegen/nest/kernel_launch.hpp"

#include <fmt/format.h>

#include <cstddef>

namespace texelscope::devices {
namespace {

std::optional<std::string> beyond_limits(const OpenClDeviceInfo& device, const Operand& operand)
{
    if (operand.memory == Memory::buffer) {
        return std::nullopt; // an allocation that is too large is the driver's to refuse
    }
    if (!device.images) {
        return "the device has no images";
    }
    const Image& image = operand.image;
    if (image.extent.width <= device.image_width && image.extent.height <= device.image_height) {
        return std::nullopt;
    }
    return fmt::format("image {} is {}x{} texels, the device takes {}x{}", image.name, image.extent.width,
                       image.extent.height, device.image_width, device.image_height);
}

} // namespace

std::optional<std::string> beyond_limits(const OpenClDeviceInfo& device, const LoopNest& nest)
{
    for (const Operand& input : nest.inputs) {
        if (auto reason = beyond_limits(device, input)) {
            return reason;
        }
    }
    if (auto reason = beyond_limits(device, nest.output)) {
        return reason;
    }
    const std::int64_t items = std::int64_t{nest.local[0]} * nest.local[1] * nest.local[2];
    if (items > device.max_work_group) {
        return fmt::format("the work-group has {} work-items, the device takes {}", items, device.max_work_group);
    }
    if (const std::int64_t bytes = local_memory_bytes(nest); bytes > device.local_memory) {
        return fmt::format("the work-group takes {} B of local memory, the device has {}", bytes, device.local_memory);
    }
    for (std::size_t i = 0; i < nest.local.size() && i < device.max_work_item_sizes.size(); ++i) {
        if (nest.local[i] > device.max_work_item_sizes[i]) {
            return fmt::format("the work-group has {} work-items along {}, the device takes {}", nest.local[i],
                               "xyz"[i], device.max_work_item_sizes[i]);
        }
    }
    return std::nullopt;
}

} // namespace texelscope::devices
