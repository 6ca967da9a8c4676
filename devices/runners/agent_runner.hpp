#pragma once

#include "devices/runners/job_runner.hpp"

#include <memory>

namespace texelscope::devices {

/// Runs jobs with texelscope-agent, each isolated, on this machine or on one behind adb or ssh:
/// brings the agent and the jobs there, runs them, and brings the results back. Where the
/// connection drops, it waits for the machine, goes on after the last finished job, and what the
/// agent did meanwhile counts. Throws as make_job_runner() does.
[[nodiscard]] std::unique_ptr<JobRunner> make_agent_runner(const JobPlace& place,
                                                           const JobRunnerOptions& options);

} // namespace texelscope::devices
