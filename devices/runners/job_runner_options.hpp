#pragma once

#include "base/layers.hpp"
#include "devices/runners/cool_down.hpp"

#include <string>

// How jobs run on a device: what whoever asks for one says beside its place.
namespace texelscope::devices {

/// How a machine is waited for whose connection dropped.
struct ReconnectOptions {
    int times = 5;        ///< for each command
    double seconds = 120; ///< to wait for the machine each time
};

/// Which devices are watched for changes of their clock (steady_jobs.hpp).
enum class WatchedDevices {
    none,
    gpus, ///< those that are no CPU
    /// On a CPU the clock is told, too, but nothing runs again for it: other processes change times
    /// there more than clocks do, and no rest helps against these.
    all,
};

struct JobRunnerOptions {
    CoolDown cool_down{};
    ReconnectOptions reconnect{};
    /// The agent's program for the place's machine. Empty: looked for in `agents`.
    std::string agent{};
    /// The OpenCL library that the agent loads there, a path or a name. Empty: it looks for one.
    std::string opencl{};
    /// Folder with "texelscope-agent" for machines like this one, and
    /// "texelscope-agent-SYSTEM-MACHINE" for others, as in texelscope-agent-android-aarch64. Empty:
    /// that of the running program.
    std::string agents{};
    WatchedDevices watched = WatchedDevices::gpus;
};

/// A real device as users name it.
struct DevicePlace {
    std::string on; ///< what parse_job_place() takes; empty, where that can be: no device
    JobRunnerOptions how{};
};

} // namespace texelscope::devices
