#include "devices/launch/limits.hpp"

#include "base/error.hpp"
#include "codegen/nest/kernel_launch.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "devices/launch/launch_options.hpp"

#include <fmt/format.h>

namespace texelscope::devices {

void check_operand(const Operand& operand, const DeviceLimits& limits, const std::string& where)
{
    if (operand.memory == Memory::buffer) {
        return;
    }
    const Image& image = operand.image;
    if (image.extent.width > limits.image_width || image.extent.height > limits.image_height) {
        throw bad_input(fmt::format("image {} of {}x{} texels is larger than the device's {}x{}",
                                    image.name, image.extent.width, image.extent.height,
                                    limits.image_width, limits.image_height),
                        where,
                        "use another access pattern, a smaller shape, or a buffer (M=buffer,...)");
    }
}

void check_limits(const LoopNest& nest, const DeviceProfile& device)
{
    const std::string where = fmt::format("{}, configuration '{}' on {}", nest.operator_text,
                                          nest.schedule_text, device.name);
    const std::int64_t items = std::int64_t{nest.local[0]} * nest.local[1] * nest.local[2];
    if (items > device.limits.work_group_size) {
        throw bad_input(fmt::format("a work-group of {} work-items is larger than the device's {}",
                                    items, device.limits.work_group_size),
                        where, "use a smaller G");
    }
    check_local_memory(local_memory_bytes(nest, arithmetic_of(nest, device)), device.limits, where);
    for (const Operand& input : nest.inputs) {
        check_operand(input, device.limits, where);
    }
    check_operand(nest.output, device.limits, where);
}

void check_local_memory(std::int64_t bytes, const DeviceLimits& limits, const std::string& where)
{
    if (const auto groups = limits.groups_by_local_memory(bytes); groups && *groups == 0) {
        const bool of_group =
            limits.local_memory_of_group && bytes > limits.local_memory_of_group->value;
        throw bad_input(
            fmt::format("a work-group takes {} B of local memory, of which {} has {}", bytes,
                        of_group ? "it" : "a core",
                        (of_group ? limits.local_memory_of_group : limits.local_memory)->value),
            where, "use a smaller G or T, or less of S and R");
    }
}

} // namespace texelscope::devices
