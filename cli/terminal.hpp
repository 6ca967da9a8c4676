#pragma once

#include "base/number_text.hpp"
#include "cli/command.hpp"
#include "experiments/study/study.hpp"

#include <string>
#include <vector>

namespace texelscope::cli {

/// Prints one JSON object to standard output.
void print_json(const ordered_json& value);

/// Prints text to standard output as it is.
void print_text(const std::string& text);

/// One line to standard error, unless quiet.
void print_note(const GlobalOptions& global, const std::string& line);

/// A table with a header row; columns as wide as needed, numbers (by their look) to the right.
[[nodiscard]] std::string format_table(const std::vector<std::string>& header,
                                       const std::vector<std::vector<std::string>>& rows);

/// A time with a fitting unit in ASCII: 12.3 us.
[[nodiscard]] inline std::string human_time(double nanoseconds)
{
    return time_text(Nanoseconds{nanoseconds}, "us");
}

/// A progress bar on standard error; draws nothing where that is no terminal, TERM is dumb, or with --quiet.
[[nodiscard]] Progress make_progress(const GlobalOptions& global);
/// Wipes the bar, so that other output starts on a clean line.
void end_progress(const GlobalOptions& global);

/// Becomes true when the user interrupts (SIGINT, SIGTERM). install_interrupt_handler() must have been called.
void install_interrupt_handler();
[[nodiscard]] bool interrupted();

} // namespace texelscope::cli
