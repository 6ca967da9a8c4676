#pragma once

#include "base/child_process.hpp"
#include "base/layers.hpp"
#include "base/stop.hpp"
#include "devices/jobs/job.hpp"
#include "devices/jobs/opencl_device_info.hpp"
#include "devices/runners/job_runner_options.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace texelscope::devices {

/// Where jobs run.
struct JobPlace {
    enum class Kind {
        here,  ///< on this machine
        agent, ///< on this machine, with texelscope-agent's files of jobs and results
        adb,   ///< on the Android device with that serial number, through adb
        ssh,   ///< on that host, through ssh
    };
    Kind kind = Kind::here;
    std::string address; ///< serial number or host; empty for the others and for the only phone
    /// OpenCL device there: index, or part of a name; empty: the first that is no CPU, or the
    /// first.
    std::string device;
};

/// Reads what `--on` takes: "adb:[SERIAL][/DEVICE]", "ssh:[USER@]HOST[/DEVICE]", "agent:[DEVICE]";
/// anything else is a device of this machine. Without a serial number it is the one phone that is
/// attached. Throws bad_input where a host is empty, or an address could be taken for an option.
[[nodiscard]] JobPlace parse_job_place(const std::string& on);

/// The inverse: the text that names a place.
[[nodiscard]] std::string to_string(const JobPlace& place);

/// Runs batches of jobs somewhere.
class JobRunner {
public:
    virtual ~JobRunner() = default;

    /// One result for each job, in order. `stop` is asked now and then while a device of this
    /// machine works, and before an agent's batch; where it answers true, Interrupted is thrown.
    /// What a device makes of a job, a crash included, is its result. Throws missing where there is
    /// no device or machine, or it was lost before the first result; bad_input where check_job()
    /// does.
    [[nodiscard]] virtual std::vector<JobResult> run(const std::vector<Job>& jobs,
                                                     const StopToken& stop = {}) = 0;

    /// Whether build_ahead() does anything.
    [[nodiscard]] virtual bool builds_ahead() const { return false; }
    /// Told which jobs probably come next, in that order, before others that it was told: a runner
    /// may build their kernels meanwhile. Without jobs: that some will come.
    virtual void build_ahead(const std::vector<Job>& /*jobs*/) {}

    /// The device that jobs run on; nothing for an agent that has not run a batch yet.
    [[nodiscard]] virtual std::optional<OpenClDeviceInfo> device() const = 0;
};

/// The device of a runner. An agent must run an empty job first to find out. Throws missing if it
/// does not tell.
[[nodiscard]] OpenClDeviceInfo device_of(JobRunner& runner);

/// `agents` of the options, or the folder of the running program.
[[nodiscard]] std::string agents_folder(const JobRunnerOptions& options);

/// The agent's command that opens devices of this machine; empty where there is no such program,
/// and this process is to open them. Throws missing where the options name a program that is not
/// there, or a library, which only an agent can choose.
[[nodiscard]] Words worker_command(const JobRunnerOptions& options);

/// The OpenCL devices of this machine, listed by a worker as a device is opened by one. Throws
/// missing where a driver crashes or hangs meanwhile.
[[nodiscard]] std::vector<OpenClDeviceInfo> devices_here(const JobRunnerOptions& options = {},
                                                         const StopToken& stop = {});

/// Throws missing where there is no such device, machine, or agent for it. A device of this machine
/// is opened by a worker, the agent's program, so that a driver that crashes or hangs costs one
/// job; by this process where there is no such program and the options name neither it nor a
/// library.
[[nodiscard]] std::unique_ptr<JobRunner> make_job_runner(const JobPlace& place,
                                                         const JobRunnerOptions& options = {});

} // namespace texelscope::devices
