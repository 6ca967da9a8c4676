#include "devices/jobs/opencl_device_info.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace texelscope::devices {

void write_device(RecordText& record, const OpenClDeviceInfo& device)
{
    record.line("device", {device.index});
    record.block("platform", device.platform);
    record.block("name", device.name);
    record.block("vendor", device.vendor);
    record.block("driver", device.driver);
    record.block("version", device.version);
    record.line("cpu", {device.cpu ? 1 : 0});
    record.line("compute_units", {device.compute_units});
    record.line("clock_mhz", {std::llround(device.clock_mhz)});
    record.line("work_group", {device.max_work_group});
    record.line("work_item_sizes", device.max_work_item_sizes);
    record.line("images", {device.images ? 1 : 0, device.image_width, device.image_height});
    record.line("local_memory", {device.local_memory});
    record.line("allocation", {device.largest_allocation});
    record.line("half", {device.half ? 1 : 0});
    record.line("parts",
                {device.part_alignment, device.image_part_alignment, device.image_row_multiple});
}

OpenClDeviceInfo read_device(RecordReader& reader)
{
    constexpr std::int64_t most_int = std::numeric_limits<int>::max();
    OpenClDeviceInfo device;
    device.index = static_cast<int>(reader.number("device", 0, most_int));
    device.platform = reader.block("platform");
    device.name = reader.block("name");
    device.vendor = reader.block("vendor");
    device.driver = reader.block("driver");
    device.version = reader.block("version");
    device.cpu = reader.number("cpu", 0, 1) == 1;
    device.compute_units = static_cast<int>(reader.number("compute_units", 0, most_int));
    device.clock_mhz = static_cast<double>(reader.number("clock_mhz", 0, most_int));
    device.max_work_group = reader.number("work_group", 0, largest_number);
    device.max_work_item_sizes = reader.numbers("work_item_sizes", -1);
    const std::vector<std::int64_t> images = reader.numbers("images", 3);
    device.images = images[0] != 0;
    device.image_width = images[1];
    device.image_height = images[2];
    device.local_memory = reader.number("local_memory", 0, largest_number);
    device.largest_allocation = reader.number("allocation", 0, largest_number);
    device.half = reader.number("half", 0, 1) == 1;
    const std::vector<std::int64_t> parts = reader.numbers("parts", 3);
    // Negative sizes would upset plans and allocations that go by them.
    for (const std::vector<std::int64_t>& sizes : {images, parts}) {
        if (*std::min_element(sizes.begin(), sizes.end()) < 0) {
            reader.fail("the device tells a negative size");
        }
    }
    device.part_alignment = parts[0];
    device.image_part_alignment = parts[1];
    device.image_row_multiple = parts[2];
    return device;
}

} // namespace texelscope::devices
