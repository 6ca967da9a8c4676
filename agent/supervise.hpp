#pragma once

#include "agent/result_file.hpp"
#include "agent/work.hpp"

namespace texelscope::agent {

/// Runs what is left of the jobs in child processes: one does job after job; where it dies its job has crashed, where it
/// does not tell in time that it is alive it is killed and its job has timed out, and another goes on with the next job.
/// Throws what the worker threw, and missing where a device cannot even be opened.
void supervise(WorkOrder order, ResultFile& results);

} // namespace texelscope::agent
