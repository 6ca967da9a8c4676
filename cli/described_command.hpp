#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace texelscope::cli {

/// An option or a positional argument, as manual pages and completion have it. CLI11's tables are
/// read once into these values, so that neither of the two depends on CLI11.
struct DescribedOption {
    std::vector<std::string> names; ///< "--help", "-h"; of a positional its name alone
    std::string about;
    std::string otherwise; ///< its default value; empty: none
    /// Words that it takes as value; empty: it takes files, numbers or texts.
    std::vector<std::string> words;
    bool takes_value = false; ///< else it is a flag
    bool positional = false;
    bool repeatable = false;
};

/// A subcommand with its parser's tables; the program itself is the one without a path.
struct DescribedCommand {
    std::string path; ///< "trace capture"
    std::string about;
    std::vector<DescribedOption> options;   ///< its own, positionals among them
    std::vector<DescribedCommand> commands; ///< below it
};

/// A parser and all below it.
[[nodiscard]] DescribedCommand described(const CLI::App& program);

/// The command and all below it, each before its own.
[[nodiscard]] std::vector<const DescribedCommand*> all_of(const DescribedCommand& command);

} // namespace texelscope::cli
