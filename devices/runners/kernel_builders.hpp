#pragma once

#include "base/child_process.hpp"
#include "base/stop.hpp"
#include "devices/jobs/job.hpp"

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace texelscope::devices {

/// Builds kernels ahead of their runs in processes of its own, several at a time: an OpenCL driver
/// builds one kernel after the other in a process, and keeps on disk what it has built, so that the
/// process that runs a kernel finds it there. On an H200 that takes 2 ms in place of 430.
///
/// What goes in: the jobs that come next. Nothing comes out: a kernel that does not build, or a
/// process that ends, is seen again where the job runs.
class KernelBuilders {
public:
    /// So many processes at most, each started by `start` (IsolatedJobs) when there is something to
    /// build.
    KernelBuilders(std::function<ProcessWithSocket()> start, int processes);
    ~KernelBuilders(); ///< ends the processes, whatever they are doing
    KernelBuilders(const KernelBuilders&) = delete;
    KernelBuilders& operator=(const KernelBuilders&) = delete;

    /// Starts the processes, so that they have opened the device when something is to be built.
    void start();
    /// Builds these in that order, before what is waiting. What was built or begun before is
    /// not built again; jobs of several kernels are left out.
    void build(const std::vector<Job>& jobs);
    /// Waits where a process has begun to build the job's kernel; where none has, none will. Gives
    /// the log of that build: a driver that finds a kernel on disk has nothing to tell of it.
    /// Throws Interrupted where `stop` says so.
    [[nodiscard]] std::string log_of(const Job& job, const StopToken& stop = {});
    /// How many kernels were built.
    [[nodiscard]] std::int64_t built() const;

private:
    void work();

    std::function<ProcessWithSocket()> start_;
    int processes_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Job> waiting_;
    std::set<std::string> begun_;             ///< texts with options
    std::map<std::string, std::string> logs_; ///< of those of them that are done
    std::int64_t built_ = 0;
    bool ends_ = false;
    std::vector<std::thread> threads_;
};

} // namespace texelscope::devices
