#pragma once

#include "cli/command.hpp"

#include <CLI/CLI.hpp>

namespace texelscope::cli {

/// `trace capture`, below the parser of `trace`.
[[nodiscard]] Command capture_command(CLI::App& trace, const GlobalOptions& global);

} // namespace texelscope::cli
