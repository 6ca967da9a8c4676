#include "devices/jobs/job_limits.hpp"

#include <algorithm>

namespace texelscope::devices {

std::optional<std::string> beyond_limits(const OpenClDeviceInfo& device, const Job& job)
{
    const auto takes = [](std::int64_t number) { return ", the device takes " + std::to_string(number); };
    for (std::size_t i = 0; i < job.arguments.size(); ++i) {
        const std::string argument = "argument " + std::to_string(i);
        if (const auto* image = std::get_if<JobImage>(&job.arguments[i])) {
            if (!device.images) {
                return "the device has no images";
            }
            if (image->width > device.image_width || image->height > device.image_height) {
                return argument + " is an image of " + std::to_string(image->width) + "x" +
                       std::to_string(image->height) + " texels" + takes(device.image_width) + "x" +
                       std::to_string(device.image_height);
            }
        } else if (const auto* local = std::get_if<JobLocal>(&job.arguments[i]);
                   local != nullptr && local->bytes > device.local_memory) {
            return argument + " is " + std::to_string(local->bytes) + " bytes of local memory" +
                   takes(device.local_memory);
        }
    }
    std::int64_t items = 1;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (axis < device.max_work_item_sizes.size() && job.local[axis] > device.max_work_item_sizes[axis]) {
            return "the work-group has " + std::to_string(job.local[axis]) + " work-items along " + "xyz"[axis] +
                   takes(device.max_work_item_sizes[axis]);
        }
        items *= std::min(job.local[axis], device.max_work_group + 1); // keeps the product small
    }
    if (items > device.max_work_group) {
        return "the work-group has too many work-items" + takes(device.max_work_group);
    }
    return std::nullopt;
}

} // namespace texelscope::devices
