#pragma once

#include "cli/command.hpp"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace texelscope::cli {

/// `--study FILE`: the words of a command line with the study's options among them: operator, shape, padding, configuration,
/// device, overrides and seed, as far as the subcommand has such an option and it is not among the words already. Without
/// --study, the words as they are. Throws bad_input where the file is no study.
[[nodiscard]] std::vector<std::string> with_study(std::vector<std::string> words, const CLI::App& app);

} // namespace texelscope::cli
