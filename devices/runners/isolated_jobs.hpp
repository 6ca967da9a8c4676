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
    /// `start` starts a worker process; it throws missing where it cannot.
    explicit IsolatedJobs(std::function<ProcessWithSocket()> start);
    ~IsolatedJobs(); ///< ends the worker, whatever it is doing

    /// Starts a worker if there is none, and waits until it has opened the device. Throws missing
    /// where the device cannot be opened, and rethrows errors of the worker.
    const OpenClDeviceInfo& open(const StopToken& stop = {});

    /// Runs a job, after open() if necessary, and returns its result. `stop` is asked a few times a
    /// second; if it answers true, the worker is ended and Interrupted thrown. Throws missing if
    /// several workers in a row open the device but end before they take the job, or if one does
    /// not take it in time.
    [[nodiscard]] JobResult run(const Job& job, const StopToken& stop = {});

private:
    friend std::vector<OpenClDeviceInfo>
    told_devices(const std::function<ProcessWithSocket()>& start, const StopToken& stop);
    class Watched;
    std::function<ProcessWithSocket()> start_;
    std::unique_ptr<Watched> worker_;
    OpenClDeviceInfo device_;
};

/// The devices of this machine, as listed by a worker. Throws missing if the worker ends before it
/// has listed all, or takes too long.
[[nodiscard]] std::vector<OpenClDeviceInfo>
told_devices(const std::function<ProcessWithSocket()>& start, const StopToken& stop = {});

} // namespace texelscope::devices
