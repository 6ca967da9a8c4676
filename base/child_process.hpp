#pragma once

#include "base/layers.hpp"
#include "base/stop.hpp"

#include <string>
#include <vector>

namespace texelscope::base {

using Words = std::vector<std::string>;

struct ProcessOutcome {
    int exit_code = 0; ///< -1 where a signal or the time limit ended the program
    bool timed_out = false;
    std::string output; ///< standard output and error together
};

/// Runs a program, found on PATH, to its end; its standard input is empty. `timeout_seconds` limits
/// how long it may run; 0 means no limit. Throws missing where the program cannot be started. Soon
/// after `stop` returns true, ends the program and throws Interrupted.
[[nodiscard]] ProcessOutcome run_process(const Words& words, double timeout_seconds = 0,
                                         const StopToken& stop = {});

/// A running child process, and this end of a stream socket to it.
struct ProcessWithSocket {
    int process = -1;
    int socket = -1;
};

/// Starts a program, found on PATH, whose standard input is a socket. Throws missing where it
/// cannot be started.
[[nodiscard]] ProcessWithSocket start_with_socket(const Words& words);

/// The last line of `output` that is not blank; for messages.
[[nodiscard]] std::string last_line(const std::string& output);

} // namespace texelscope::base
