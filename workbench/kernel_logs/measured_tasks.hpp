#pragma once

#include "workbench/kernel_logs/clock_states.hpp"
#include "workbench/kernel_logs/log_folder.hpp"
#include "workbench/kernel_logs/logged_kernel.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace texelscope::workbench::kernel_logs {

/// A kernel that was measured.
struct MeasuredRow {
    LoggedKernel kernel;
    std::string configuration; ///< knobs, see LogRow::configuration()
    double ns = 0;             ///< copies of the inputs into images included
    double timestamp = 0;
    Clock clock = Clock::fast;
};

/// How a kernel's numbers are stored and summed up: MeasuredTask::dtype.
[[nodiscard]] std::string dtype_of(const KernelCounts& counts);

/// One task of a tuner on one device: an operator, and kernels of it.
struct MeasuredTask {
    std::string device; ///< name of a profile; empty where it is not known
    std::string name;   ///< of the template
    std::string op, shape, padding;
    std::string dtype; ///< "float32", "float16", or "float16, sums float32"
    /// At one clock: the one that more of its kernels were measured at.
    std::vector<MeasuredRow> kernels;
    Clock clock = Clock::fast;
    std::size_t fewest = 20; ///< with fewer kernels it says too little to be judged
};

struct MeasuredTasks {
    std::vector<MeasuredTask> histories; ///< of logs that have several kernels of a task
    /// Of logs that have the best kernel of each task alone: a network's layers.
    std::vector<MeasuredTask> layers;
    /// How many rows and files were left out, by reason. A row counts once.
    std::map<std::string, std::int64_t> left_out;
    std::int64_t rows = 0; ///< of all logs, malformed ones included
};

/// Kernels of logs by device and task, in the order in which tasks first occur. Rows that were not
/// measured, that are no kernel of ours (read_row()), or that were measured at the clock at which
/// fewer kernels of their task were or at one that cannot be told (clocks_of(), over all logs of a
/// device), are left out and counted.
[[nodiscard]] MeasuredTasks measured_tasks(const LogFolder& folder);

} // namespace texelscope::workbench::kernel_logs
