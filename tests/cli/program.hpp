#pragma once

#include "tests/base/temporary_folder.hpp"

#include <string>
#include <vector>

namespace texelscope::test {

/// Arguments of a command line.
using Words = std::vector<std::string>;
[[nodiscard]] Words operator+(Words words, const Words& more);

struct ProgramResult {
    int exit_code = -1;
    std::string output; ///< standard output
    std::string errors; ///< standard error
};

/// Runs the command line program, without a terminal. `environment`: NAME=VALUE in front of it.
[[nodiscard]] ProgramResult run_program(const Words& arguments,
                                        const std::string& environment = {});

/// Runs any program: its path or name and its arguments.
[[nodiscard]] ProgramResult run_words(const Words& words, const std::string& environment = {});

/// The exit code where standard output is a device without room.
[[nodiscard]] int run_to_full_device(const Words& arguments);

[[nodiscard]] std::string read_file(const std::string& path);

} // namespace texelscope::test
