#include "experiments/study/buffer_reads.hpp"

#include "base/error.hpp"
#include "codegen/nest/kernel_launch.hpp"
#include "experiments/study/study.hpp"
#include "sim/options/occupancy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace texelscope::experiments {

BufferPath buffer_path(const DeviceProfile& device)
{
    if (!device.limits.buffer_l1) {
        throw missing("the profile does not say through which cache buffers are read (limits.buffer_l1)", device.name);
    }
    using Kind = BufferPath::Kind;
    const Kind kind = device.limits.buffer_l1->value == 0 ? Kind::l2
                      : device.limits.buffers_in_l1       ? Kind::images_l1
                                                          : Kind::own_l1;
    return {kind, *device.limits.buffer_l1};
}

std::string buffer_way(const DeviceProfile& device)
{
    if (!device.limits.buffer_l1) {
        return "not known";
    }
    switch (buffer_path(device).kind) {
    case BufferPath::Kind::images_l1:
        return "through the L1 of the images, row by row";
    case BufferPath::Kind::own_l1:
        return fmt::format("through a first level of {} B, row by row", device.limits.buffer_l1->value);
    case BufferPath::Kind::l2:
        break;
    }
    return "past the L1, through the port of the L2, row by row";
}

LoopNest buffers_as_rows(LoopNest nest)
{
    for (Operand& input : nest.inputs) {
        if (input.memory == Memory::buffer) {
            input.memory = Memory::image;
            input.image.buffer = true;
        }
    }
    return nest;
}

bool reads_buffers(const LoopNest& nest)
{
    return std::ranges::count(nest.inputs, Memory::buffer, &Operand::memory) > 0;
}

void check_simulated(const LoopNest& nest, const DeviceProfile& device)
{
    if (reads_buffers(nest)) {
        (void)buffer_path(device);
    }
    const SimulationOptions options = options_for(nest, device);
    const std::int64_t items = std::int64_t{nest.local[0]} * nest.local[1] * nest.local[2];
    const Occupancy found = occupancy(options, ceil_div(items, options.machine.warp_size));
    if (found.group_warps > found.warps && has_barriers(launch_of(nest).body)) {
        require_room_for_group(found, options);
    }
}

} // namespace texelscope::experiments
