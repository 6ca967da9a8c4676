#pragma once

#include "devices/jobs/job.hpp"

#include <string>

namespace texelscope::devices {

/// Reads clock and temperature below `sysfs`. Clock: Adreno's kgsl, Mali's and other GPUs' devfreq,
/// Samsung's gpu_clock. Temperature: the hottest thermal zone whose type names the GPU, or else the
/// hottest of all. What cannot be read stays empty. A device counts as a GPU only where the system
/// says that it is one.
[[nodiscard]] Conditions read_conditions(const std::string& sysfs = "/sys");

/// "clock 585 MHz (FILE), 41.5 C (FILE)"; "clock not readable, temperature not readable".
[[nodiscard]] std::string to_string(const Conditions& conditions);

} // namespace texelscope::devices
