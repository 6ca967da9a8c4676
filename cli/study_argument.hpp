#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace texelscope::cli {

/// `--study FILE`, after the command line was parsed: gives the options of the chosen subcommand the study's operator, shape,
/// padding, configuration, device, overrides and seed, as far as it has such options and they were not given. Throws
/// bad_input where the file is no study, or the subcommand takes none.
void complete_by_study(const std::string& file, CLI::App& app);

} // namespace texelscope::cli
