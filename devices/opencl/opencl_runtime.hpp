#pragma once

// C++17: texelscope-agent is built from it, too.

#include "devices/opencl/launch_times.hpp"
#include "devices/opencl/opencl_api.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace texelscope::devices {

/// A device with a context and a queue with event profiling.
struct OpenedDevice {
    OpenClDeviceInfo info;
    cl::Device device;
    cl::Context context;
    cl::CommandQueue queue;
};

/// Opens preferred_device(). Throws missing where nothing fits or the device cannot be opened.
[[nodiscard]] OpenedDevice open_device(const std::string& selector);

/// Waits until the queue is empty; a launch that ended in an error has been reported by who
/// launched it. A driver does not survive being unloaded under a launch: for destructors.
void finish_quietly(const cl::CommandQueue& queue);

/// What the compiler said; empty for white space.
[[nodiscard]] std::string build_log_of(const cl::Program& program, const cl::Device& device);

/// "the kernel does not build: " and the log's first line with an error, its first line without
/// one, or else the error.
[[nodiscard]] std::string build_failure(const cl::Error& error, const std::string& log);

/// Whether an error means that the launch exceeds a limit of the device, rather than that something
/// is broken.
[[nodiscard]] bool is_limit(cl_int error);

/// The reason why the device cannot launch the kernel with this work-group; nothing if it can.
[[nodiscard]] std::optional<std::string>
work_group_too_large(const cl::Kernel& kernel, const cl::Device& device,
                     const std::array<std::int64_t, 3>& local);

/// When what the event stands for was under way on the device; `wall_ns`: how long the host has
/// waited for it.
[[nodiscard]] LaunchTime time_of(const cl::Event& event, double wall_ns);

} // namespace texelscope::devices
