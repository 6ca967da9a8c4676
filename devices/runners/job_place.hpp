#pragma once

#include "base/layers.hpp"

#include <string>

namespace texelscope::devices {

/// Where jobs run.
struct JobPlace {
    enum class Kind {
        here,  ///< on this machine
        agent, ///< on this machine, with texelscope-agent's files of jobs and results
        adb,   ///< on the Android device of that serial number
        ssh,   ///< on that host
    };
    Kind kind = Kind::here;
    std::string address; ///< serial number or host; empty for the others
    std::string
        device; ///< OpenCL device there: index, or part of a name; empty: the first that is no CPU, or the first
};

/// Reads what `--on` takes: "adb:SERIAL[/DEVICE]", "ssh:[USER@]HOST[/DEVICE]", "agent:[DEVICE]"; anything else is a device
/// of this machine. Throws bad_input where the address is empty or could be taken for an option.
[[nodiscard]] JobPlace parse_job_place(const std::string& on);

/// The same text again.
[[nodiscard]] std::string to_string(const JobPlace& place);

} // namespace texelscope::devices
