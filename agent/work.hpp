#pragma once

#include "agent/kept_results.hpp"
#include "devices/runners/cool_down.hpp"

#include <string>

namespace texelscope::agent {

struct WorkOrder {
    std::string jobs_file;
    std::string device; ///< as preferred_device() takes it
    std::string opencl; ///< the library, as opencl_places() takes it
    CoolDown cool_down;
    std::string sysfs = "/sys"; ///< where clocks and temperatures are read
};

/// Runs the jobs that have no result yet, in this process. Returns false after a launch that took
/// too long: it cannot be aborted, and closing the device would wait for it, so that the process
/// should end at once.
/// Throws missing where there is no OpenCL or device, bad_input for a bad job file.
[[nodiscard]] bool work_here(const WorkOrder& order, KeptResults& results);

/// Runs the jobs that have no result yet in child processes, as IsolatedJobs does. Throws as
/// work_here() does.
void work_isolated(const WorkOrder& order, KeptResults& results);

/// Runs the jobs that come over a stream socket (devices/jobs/worker_messages.hpp) and tells of
/// them, until the other side closes it, which ends this process whatever it is doing. What is
/// thrown is told.
[[noreturn]] void serve(const WorkOrder& order, int socket);

/// Sends the list of OpenCL devices over such a socket, and ends. Of the order the library counts.
[[noreturn]] void serve_list(const WorkOrder& order, int socket);

} // namespace texelscope::agent
