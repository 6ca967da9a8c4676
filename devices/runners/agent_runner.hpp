#pragma once

#include "devices/jobs/device_listing.hpp"
#include "devices/runners/job_runner.hpp"

#include <memory>

namespace texelscope::devices {

/// Runs jobs with texelscope-agent, each isolated, on this machine or on one behind adb or ssh:
/// brings the agent and the jobs there, runs them, and brings the results back. Where the
/// connection drops, it waits for the machine, goes on after the last finished job, and what the
/// agent did meanwhile counts. Throws as make_job_runner() does.
[[nodiscard]] std::unique_ptr<JobRunner> make_agent_runner(const JobPlace& place,
                                                           const JobRunnerOptions& options);

/// What an agent there tells of all devices of the machine. Throws as make_job_runner() does, and
/// missing where a driver crashes or hangs meanwhile.
[[nodiscard]] DeviceListing list_by_agent(const JobPlace& place, const JobRunnerOptions& options);

} // namespace texelscope::devices
