#pragma once

#include "cli/command.hpp"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <string>

namespace texelscope::cli {

/// `--parts A,T,M`: the parts of a schedule that are searched, by their keys; the others keep the
/// operator's defaults. For tune and sweep.
struct PartsArgument {
    std::string text; ///< empty: not given

    void add_to(CLI::App& parser);
    /// Their keys; empty where none are given. Throws as parse_parts() does.
    [[nodiscard]] std::string parts() const;
};

/// "looked at and not priced" as a sentence with the reason of one of them; empty where all were.
[[nodiscard]] std::string not_priced_text(std::int64_t count, const std::string& refusal);

} // namespace texelscope::cli
