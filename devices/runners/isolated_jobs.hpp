#pragma once

#include "base/child_process.hpp"
#include "base/stop.hpp"
#include "devices/jobs/job.hpp"
#include "devices/jobs/opencl_device_info.hpp"

#include <functional>
#include <memory>
#include <vector>

namespace texelscope::devices {

/// Runs jobs one by one in a worker, a child process that takes them over a socket and tells of
/// them there (devices/jobs/worker_messages.hpp). Where a driver crashes, or hangs and the worker
/// has to be killed, that job alone is lost: the next one gets a new worker.
class IsolatedJobs {
public:
    /// `start` makes a worker; throws missing where it cannot.
    explicit IsolatedJobs(std::function<ProcessWithSocket()> start);
    ~IsolatedJobs(); ///< ends the worker, whatever it is doing

    /// Starts a worker where none is there, and waits until it has opened the device. Throws
    /// missing where it cannot be opened, or what the worker threw.
    const OpenClDeviceInfo& open(const StopToken& stop = {});

    /// open(), and the job's result. `stop` is asked a few times a second: where it answers true,
    /// the worker is ended and Interrupted thrown. Throws missing where workers open the device and
    /// end before they take the job, again and again, or where one does not take it in time.
    [[nodiscard]] JobResult run(const Job& job, const StopToken& stop = {});

private:
    friend std::vector<OpenClDeviceInfo>
    told_devices(const std::function<ProcessWithSocket()>& start, const StopToken& stop);
    class Watched;
    std::function<ProcessWithSocket()> start_;
    std::unique_ptr<Watched> worker_;
    OpenClDeviceInfo device_;
};

/// What a worker that lists the devices tells of them. Throws missing where it ends before it has
/// told all, or takes too long.
[[nodiscard]] std::vector<OpenClDeviceInfo>
told_devices(const std::function<ProcessWithSocket()>& start, const StopToken& stop = {});

} // namespace texelscope::devices
