#pragma once

#include "tests/cli/program.hpp"

#include <nlohmann/json.hpp>

namespace texelscope::test {

/// What the command line program prints with --json added; requires the exit code, and the fields
/// that every command has.
[[nodiscard]] nlohmann::json json_of(const Words& arguments, int exit_code = 0);

/// Checks that the program prints nothing but one line on standard error that contains `what`, and
/// exits so.
void refused(const Words& arguments, const std::string& what, int exit_code = 2,
             const std::string& environment = {});

} // namespace texelscope::test
