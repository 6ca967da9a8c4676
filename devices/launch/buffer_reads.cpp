#include "devices/launch/buffer_reads.hpp"

#include "base/error.hpp"
#include "codegen/nest/loop_nest.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace texelscope::devices {
namespace {

using Kind = BufferPath::Kind;

Kind kind_of(const DeviceLimits& limits)
{
    return limits.buffer_l1->value == 0 ? Kind::l2
           : limits.buffers_in_l1       ? Kind::images_l1
                                        : Kind::own_l1;
}

} // namespace

BufferPath buffer_path(const DeviceProfile& device)
{
    if (!device.limits.buffer_l1) {
        throw missing(
            "the profile does not say through which cache buffers are read (limits.buffer_l1)",
            device.name);
    }
    const Kind kind = kind_of(device.limits);
    if (kind == Kind::l2 && !device.simulation.machine.goes_past_l1()) {
        throw missing("the profile has no cache that buffers are read through", device.name);
    }
    return {kind, *device.limits.buffer_l1};
}

std::string buffer_way(const DeviceProfile& device)
{
    if (!device.limits.buffer_l1) {
        return "not known";
    }
    switch (kind_of(device.limits)) {
    case Kind::images_l1:
        return "through the L1 of the images, row by row";
    case Kind::own_l1:
        return fmt::format("through a first level of {} B, row by row",
                           device.limits.buffer_l1->value);
    case Kind::l2:
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

} // namespace texelscope::devices
