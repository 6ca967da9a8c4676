#pragma once

#include "workbench/kernel_logs/autotvm_log.hpp"

#include <string>
#include <vector>

namespace texelscope::workbench::kernel_logs {

/// A log with what is known of where it is from.
struct NamedLog {
    std::string path;
    std::string device; ///< name of a profile; empty where it is not known
    AutotvmLog log;
};

struct LogFolder {
    std::vector<NamedLog> logs;      ///< in the order of their paths
    std::vector<std::string> others; ///< files that are no logs of AutoTVM
};

/// Reads all logs of a folder and of the folders in it, or one file. Files may be packed
/// (read_stream()), and their names do not matter; one whose first line is no row is among the
/// others. `device`: of all logs; empty: log_device() of each. Throws bad_input where there is no
/// such folder or file, or one cannot be read.
[[nodiscard]] LogFolder read_logs(const std::string& path, const std::string& device = {});

/// The profile of a log in the public repository github.com/octoml/qualcomm, whose folders are
/// named after devices: logs is an Adreno 660, logs_gen1 a 730, logs_8gen2 a 740. Those of
/// histories that begin with the name of such a folder and a further "_" are of the same device.
/// Empty for others.
[[nodiscard]] std::string log_device(const std::string& path);

} // namespace texelscope::workbench::kernel_logs
