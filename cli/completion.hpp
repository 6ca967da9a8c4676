#pragma once

#include "cli/described_command.hpp"

#include <array>
#include <string>

namespace texelscope::cli {

/// Shells that completion is made for.
inline constexpr std::array completed_shells{"bash", "zsh", "fish"};

/// A script that completes the program's subcommands, options and the words that they take, for one
/// of these shells: bash and fish source it, zsh finds it on its fpath as _texelscope. It is made
/// from the parser's own tables (described()), so it cannot fall behind them. Throws bad_input for
/// another shell.
[[nodiscard]] std::string completion_script(const DescribedCommand& program,
                                            const std::string& shell);

} // namespace texelscope::cli
