#pragma once

#include "workbench/store/stored_result.hpp"

#include <string>
#include <vector>

namespace texelscope::workbench::store {

/// The kernels of a log of AutoTVM (kernel_logs::parse_autotvm_log()) as results of a device: those
/// that were measured, of each task at the clock at which more of them were
/// (kernel_logs::measured_tasks()). A time is the mean of AutoTVM's runs, the copies of the inputs
/// into images included. The device is that of the log's folder (kernel_logs::log_device()), by the
/// words of its profile; else "unknown device". `settings` is a digest of the knobs, since several
/// kernels of TVM may be one of ours. `where`: the path of the log, which messages name. Throws
/// bad_input where no row is a kernel of ours, with the reason that most rows have.
[[nodiscard]] std::vector<StoredResult> parse_log_results(const std::string& text,
                                                          const std::string& where);

} // namespace texelscope::workbench::store
