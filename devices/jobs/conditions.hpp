#pragma once

#include "devices/jobs/job.hpp"
#include "devices/jobs/sized_blocks.hpp"

#include <cstdint>
#include <string>

namespace texelscope::devices {

/// Reads clock and temperature below `sysfs`. Clock: Adreno's kgsl, Mali's and other GPUs' devfreq,
/// Samsung's gpu_clock. Temperature: the hottest thermal zone whose type names the GPU, or else the
/// hottest of all. What cannot be read stays empty. A device counts as a GPU only where the system
/// says that it is one.
[[nodiscard]] Conditions read_conditions(const std::string& sysfs = "/sys");

/// "clock 585 MHz (FILE), 41.5 C (FILE)"; "clock not readable, temperature not readable".
[[nodiscard]] std::string to_string(const Conditions& conditions);

/// Stands in a file for a number that could not be read. It is no real clock or temperature: in
/// millidegrees, it is colder than anything is.
constexpr std::int64_t not_readable = -1'000'000;

/// Appends them to a record, the numbers with that key.
void write_conditions(RecordText& record, const std::string& key, const Conditions& conditions);
/// Reads what write_conditions() has written. Throws bad_input as the reader does.
[[nodiscard]] Conditions read_conditions(RecordReader& reader, const std::string& key);

} // namespace texelscope::devices
