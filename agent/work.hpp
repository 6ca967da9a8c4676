#pragma once

#include "devices/jobs/job.hpp"
#include "devices/jobs/opencl_device_info.hpp"
#include "devices/runners/cool_down.hpp"

#include <cstdint>
#include <functional>
#include <string>

namespace texelscope::agent {

struct WorkOrder {
    std::string jobs_file;
    std::string device;     ///< as preferred_device() takes it
    std::int64_t first = 0; ///< job to begin with
    CoolDown cool_down;
    std::string sysfs = "/sys";
};

/// What somebody who works tells.
struct WorkReport {
    std::function<void(double seconds)> alive; ///< hear again within this time, or something hangs
    std::function<void(const OpenClDeviceInfo& device)> opened;
    std::function<void(std::int64_t job)> started;
    std::function<void(std::int64_t job, const JobResult& result)> finished;
};

/// Runs the jobs from `order.first` on, in this process. A launch that took too long cannot be recalled, and the device waits
/// for it: who has something better to do ends the process when `report.finished` tells of it. Throws missing where there is
/// no OpenCL or device, bad_input for a bad job file.
void work(const WorkOrder& order, const WorkReport& report);

} // namespace texelscope::agent
