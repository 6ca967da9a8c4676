#include "devices/opencl/opencl_runtime.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <utility>

namespace texelscope::devices {
namespace {

/// The first line that has an error, or else the first line.
std::string gist(const std::string& log)
{
    const std::size_t error = log.find("error");
    const std::size_t at = error == std::string::npos ? 0 : error;
    const std::size_t before = log.rfind('\n', at);
    const std::size_t start = before == std::string::npos ? 0 : before + 1;
    return log.substr(start, log.find('\n', at) - start);
}

} // namespace

OpenedDevice open_device(const std::string& selector)
{
    auto found = find_opencl_devices();
    std::vector<OpenClDeviceInfo> infos;
    for (const FoundDevice& device : found) {
        infos.push_back(device.info);
    }
    OpenedDevice opened;
    opened.info = preferred_device(infos, selector);
    try {
        opened.device = std::move(found[static_cast<std::size_t>(opened.info.index)].device);
        opened.context = cl::Context(opened.device);
        opened.queue = cl::CommandQueue(opened.context, opened.device, CL_QUEUE_PROFILING_ENABLE);
    } catch (const cl::Error& error) {
        throw missing(describe(error), opened.info.name,
                      "the device is there but cannot be opened; check its driver");
    }
    return opened;
}

void finish_quietly(const cl::CommandQueue& queue)
{
    try {
        queue.finish();
    } catch (const cl::Error&) { // reported already
    }
}

std::string build_log_of(const cl::Program& program, const cl::Device& device)
{
    std::string log;
    program.getBuildInfo(device, CL_PROGRAM_BUILD_LOG, &log);
    return log.find_first_not_of(" \t\r\n") == std::string::npos ? std::string() : log;
}

std::string build_failure(const cl::Error& error, const std::string& log)
{
    return "the kernel does not build: " + (log.empty() ? describe(error) : gist(log));
}

// Errors that mean that the job is too much for this device.
bool is_limit(cl_int error)
{
    return error == CL_INVALID_WORK_GROUP_SIZE || error == CL_INVALID_WORK_ITEM_SIZE ||
           error == CL_INVALID_IMAGE_SIZE || error == CL_IMAGE_FORMAT_NOT_SUPPORTED ||
           error == CL_INVALID_BUFFER_SIZE || error == CL_MEM_OBJECT_ALLOCATION_FAILURE;
}

std::optional<std::string> work_group_too_large(const cl::Kernel& kernel, const cl::Device& device,
                                                const std::array<std::int64_t, 3>& local)
{
    // A kernel that was compiled for this very work-group can run it. NVIDIA's driver answers 256
    // to the second question all the same, and launches 1024.
    const auto compiled = kernel.getWorkGroupInfo<CL_KERNEL_COMPILE_WORK_GROUP_SIZE>(device);
    if (std::equal(local.begin(), local.end(), compiled.begin(), [](std::int64_t a, std::size_t b) {
            return a == static_cast<std::int64_t>(b);
        })) {
        return std::nullopt;
    }
    const auto limit =
        static_cast<std::int64_t>(kernel.getWorkGroupInfo<CL_KERNEL_WORK_GROUP_SIZE>(device));
    const std::int64_t items = local[0] * local[1] * local[2];
    if (items <= limit) {
        return std::nullopt;
    }
    return "the work-group has " + std::to_string(items) + " work-items, the device takes " +
           std::to_string(limit) + " of this kernel";
}

LaunchTime time_of(const cl::Event& event, double wall_ns)
{
    return {event.getProfilingInfo<CL_PROFILING_COMMAND_START>(),
            event.getProfilingInfo<CL_PROFILING_COMMAND_END>(), wall_ns};
}

} // namespace texelscope::devices
