#include "experiments/study/buffer_reads.hpp"

#include "base/error.hpp"
#include "experiments/study/launch_result.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace texelscope::experiments {
namespace {

/// Whether a statement, or one inside of it, reads several texels at once.
bool reads_several(const std::vector<NestStatement>& body)
{
    return std::ranges::any_of(body, [](const NestStatement& statement) {
        if (const auto* loop = std::get_if<NestLoop>(&statement)) {
            return reads_several(loop->body);
        }
        const auto* read = std::get_if<NestRead>(&statement);
        return read != nullptr && read->texels > 1;
    });
}

std::ptrdiff_t buffers_of(const LoopNest& nest)
{
    return std::ranges::count(nest.inputs, Memory::buffer, &Operand::memory);
}

} // namespace

DeviceProfile reading_buffers(DeviceProfile device)
{
    if (!device.limits.buffer_l1) {
        throw missing("the profile does not say through which cache buffers are read (limits.buffer_l1)", device.name);
    }
    SimulationOptions& options = device.simulation;
    options.layout = LayoutSpec{};
    if (device.limits.buffer_l1->value > 0) {
        options.l1.capacity = *device.limits.buffer_l1;
    } else if (options.has_l2()) {
        options.l1 = CacheGeometry{.capacity = options.l2.line, .line = options.l2.line, .ways = 1};
        options.timing.hit_latency = options.timing.l2_latency;
    } else {
        throw missing("the profile has no cache that buffers are read through", device.name);
    }
    validate(options);
    return device;
}

std::string buffer_way(const DeviceProfile& device)
{
    if (!device.limits.buffer_l1) {
        return "not known";
    }
    return device.limits.buffer_l1->value > 0
               ? fmt::format("through a first level of {} B, row by row", device.limits.buffer_l1->value)
               : std::string("past the L1, through the port of the L2, row by row");
}

LoopNest buffers_as_rows(LoopNest nest)
{
    if (reads_several(nest.body)) {
        throw bad_input("reads of several texels at once are not simulated", nest.schedule_text, "leave V out");
    }
    for (Operand& input : nest.inputs) {
        input.memory = Memory::image;
    }
    return nest;
}

void check_simulated(const LoopNest& nest, const DeviceProfile& device)
{
    const auto buffers = buffers_of(nest);
    if (buffers > 0 && buffers < std::ssize(nest.inputs)) {
        throw bad_input("some inputs lie in buffers and some in images", nest.schedule_text,
                        "put all of them in the same memory");
    }
    if (buffers > 0) {
        (void)reading_buffers(device);
        (void)buffers_as_rows(nest);
    }
}

Nanoseconds simulated_time_of_memory(const LoopNest& nest, const DeviceProfile& device, std::int64_t most_accesses,
                                     const StopToken& stop)
{
    check_simulated(nest, device);
    return buffers_of(nest) == 0 ? simulated_time(nest, device, most_accesses, stop)
                                 : simulated_time(buffers_as_rows(nest), reading_buffers(device), most_accesses, stop);
}

} // namespace texelscope::experiments
