#pragma once

#include "workbench/kernel_logs/measured_tasks.hpp"
#include "workbench/store/stored_result.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace texelscope::workbench::phones {

/// Results of real devices, of whatever file, as tasks that `experiment measured-phones` judges: a
/// task for each operator and shape on each device that a built-in profile describes, whose name
/// the task has; with `device`, all of them on the profile of that name. A configuration that was
/// measured several times, on several phones of a kind, say, counts with the median. Left out, and
/// counted by reason, is what did not run, was not measured at the highest clock
/// (at_highest_clock()), or is of a device without a profile.
[[nodiscard]] std::vector<MeasuredTask>
tasks_of_results(const std::vector<StoredResult>& results, const std::string& device,
                 std::map<std::string, std::int64_t>& left_out);

} // namespace texelscope::workbench::phones
