#pragma once

#include "base/layers.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace texelscope::traces {

/// The work-groups of each launch that are recorded, by linear number; `end` is not included.
struct GroupRange {
    std::int64_t begin = 0;
    std::int64_t end = INT64_MAX;
};

struct CaptureRequest {
    std::vector<std::string> command; ///< the program and its arguments
    std::string kernel;               ///< only kernels of that name; empty: all
    GroupRange groups;
    bool buffers = false;
    bool operations = false; ///< count what work-items execute
    /// Work-items of a sub-group, for kernels that do not say so; 0: not known, and the program is
    /// told that there are no sub-groups.
    int subgroup_size = 0;
    std::string oclgrind; ///< path of the program
    std::string plugin;   ///< path of the library
    /// Whether the program's standard output is sent to standard error.
    bool output_to_standard_error = false;
};

/// How a program ended.
struct ProgramEnd {
    int code = 0;             ///< exit code
    int signal = 0;           ///< number of the signal that ended it, or 0
    bool interrupted = false; ///< this process was asked to end while the program ran

    [[nodiscard]] bool well() const { return code == 0 && signal == 0; }
};

/// The program of that name as a shell finds it (in PATH unless it has a slash), if it may be run.
[[nodiscard]] std::optional<std::string> find_program(const std::string& name);

/// Runs the program under Oclgrind with the plugin, which writes to `spool` (an absolute path; see
/// CapturedSpool), and waits for it. Signals that would end this process are passed on to the
/// program, if they have not reached it. Throws bad_input where the program does not exist, missing
/// where Oclgrind cannot be started.
[[nodiscard]] ProgramEnd run_captured(const CaptureRequest& request, const std::string& spool);

} // namespace texelscope::traces
