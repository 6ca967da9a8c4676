#pragma once

#include "base/number_text.hpp"
#include "base/progress.hpp"
#include "cli/command.hpp"
#include "workbench/report/json_values.hpp"

#include <string>
#include <vector>

namespace texelscope::cli {

/// Prints one JSON object to standard output.
void print_json(const ordered_json& value);

/// The JSON object where --json asks for it, else the text.
void print_result(const GlobalOptions& global, const ordered_json& json, const std::string& text);

/// Prints text to standard output. Names that it has from files give a terminal no commands
/// (without_controls()).
void print_text(const std::string& text);

/// One line to standard error, unless quiet.
void print_note(const GlobalOptions& global, const std::string& line);

using Cells = std::vector<std::string>;

/// A table with a header row; columns as wide as needed, numbers (by their look) to the right.
[[nodiscard]] std::string format_table(const Cells& header, const std::vector<Cells>& rows);

/// The same with a row for each item, the cells that `cells_of` makes of it.
template <class Items, class CellsOf>
[[nodiscard]] std::string format_table(const Cells& header, const Items& items,
                                       const CellsOf& cells_of)
{
    std::vector<Cells> rows;
    for (const auto& item : items) {
        rows.push_back(cells_of(item));
    }
    return format_table(header, rows);
}

/// A table of results: times (columns that end with _ns, shown without that) in fitting units,
/// other fractions in percent, a dash for no value.
[[nodiscard]] std::string format_table(const ResultTable& table);

/// A time with a fitting unit in ASCII: 12.3 us.
[[nodiscard]] inline std::string human_time(double nanoseconds)
{
    return time_text(Nanoseconds{nanoseconds}, "us");
}
/// The same of a run on a device; "12.3 us (wall clock)" where it is not the device's own time.
[[nodiscard]] inline std::string measured_time(double nanoseconds, bool wall_clock)
{
    return human_time(nanoseconds) + (wall_clock ? " (wall clock)" : "");
}

/// A progress bar on standard error; draws nothing where that is no terminal, TERM is dumb, or with
/// --quiet.
[[nodiscard]] Progress make_progress(const GlobalOptions& global);
/// Wipes the bar, so that other output starts on a clean line.
void end_progress(const GlobalOptions& global);

/// Becomes true when the user interrupts (SIGINT, SIGTERM). install_interrupt_handler() must have
/// been called.
void install_interrupt_handler();
[[nodiscard]] bool interrupted();

} // namespace texelscope::cli
