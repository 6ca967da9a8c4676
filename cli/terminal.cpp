#include "cli/terminal.hpp"

#include "base/control_characters.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace texelscope::cli {
namespace {

// The one piece of state that a signal handler can reach.
volatile std::sig_atomic_t interrupt_requested = 0;

/// Whether somebody watches a terminal that can redraw a line. Files and pipes get no bars.
bool draws_progress(const GlobalOptions& global)
{
    const char* term = std::getenv("TERM");
    return !global.quiet && isatty(STDERR_FILENO) != 0 && term != nullptr &&
           std::strcmp(term, "dumb") != 0;
}

/// Width of a UTF-8 text in characters: bytes 10xxxxxx continue a character and do not count.
std::size_t width(const std::string& text)
{
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

/// Numbers with units ("12.3 us", "5 %", "~12.3 us") count as numbers, too, so that their columns
/// are set to the right.
bool looks_like_number(const std::string& text)
{
    return !text.empty() && (std::isdigit(static_cast<unsigned char>(text.front())) != 0 ||
                             text.front() == '-' || text.front() == '+' || text.front() == '~');
}

} // namespace

void print_json(const ordered_json& value)
{
    // Names of files and devices need not be UTF-8, and JSON has nothing else.
    print_text(value.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n");
}

void print_result(const GlobalOptions& global, const ordered_json& json, const std::string& text)
{
    if (global.json) {
        print_json(json);
    } else {
        print_text(text);
    }
}

void print_text(const std::string& text)
{
    const std::string shown = without_controls(text);
    std::fwrite(shown.data(), 1, shown.size(), stdout);
}

void print_note(const GlobalOptions& global, const std::string& line)
{
    if (!global.quiet) {
        end_progress(global);
        std::fprintf(stderr, "%s\n", without_controls(line).c_str());
    }
}

std::string format_table(const std::vector<std::string>& header, const std::vector<Cells>& rows)
{
    std::vector<std::size_t> widths;
    std::vector<bool> right;
    for (std::size_t column = 0; column < header.size(); ++column) {
        widths.push_back(width(header[column]));
        bool numbers = !rows.empty();
        for (const auto& row : rows) {
            widths[column] = std::max(widths[column], width(row[column]));
            numbers = numbers && (looks_like_number(row[column]) || row[column].empty());
        }
        right.push_back(numbers);
    }
    std::string text;
    const auto line = [&](const std::vector<std::string>& cells) {
        std::string out;
        for (std::size_t column = 0; column < cells.size(); ++column) {
            const std::string padding(widths[column] - width(cells[column]), ' ');
            out += (column == 0 ? "" : "  ") +
                   (right[column] ? padding + cells[column] : cells[column] + padding);
        }
        out.erase(out.find_last_not_of(' ') + 1);
        text += out + "\n";
    };
    line(header);
    for (const auto& row : rows) {
        line(row);
    }
    return text;
}

std::string format_table(const ResultTable& table)
{
    const auto is_time = [](const std::string& column) { return column.ends_with("_ns"); };
    Cells header = table.columns;
    for (std::string& column : header) {
        column.resize(column.size() - (is_time(column) ? 3 : 0));
    }
    return format_table(header, table.rows, [&](const std::vector<ResultTable::Value>& row) {
        Cells cells;
        for (const ResultTable::Value& value : row) {
            const auto* const count = std::get_if<std::int64_t>(&value);
            const auto* const fraction = std::get_if<double>(&value);
            cells.push_back(count != nullptr      ? count_text(*count)
                            : fraction == nullptr ? std::get<std::string>(value)
                            : is_time(table.columns[cells.size()])
                                ? human_time(*fraction)
                                : fmt::format("{:.2f} %", 100 * *fraction));
            if (cells.back().empty()) {
                cells.back() = "-";
            }
        }
        return cells;
    });
}

Progress make_progress(const GlobalOptions& global)
{
    if (!draws_progress(global)) {
        return {};
    }
    return [last = std::chrono::steady_clock::time_point{}](const std::string& stage,
                                                            double fraction) mutable {
        const auto now = std::chrono::steady_clock::now();
        // A terminal can be slower than the work; at most 20 lines a second.
        if (now - last < std::chrono::milliseconds(50) && fraction < 1) {
            return;
        }
        last = now;
        constexpr int cells = 30;
        const int full = static_cast<int>(std::clamp(fraction, 0.0, 1.0) * cells);
        // "\r" goes to the start of the line, "\033[K" wipes the rest of it.
        std::fprintf(stderr, "\r\033[K[%s%s] %3.0f%% %s",
                     std::string(static_cast<std::size_t>(full), '#').c_str(),
                     std::string(static_cast<std::size_t>(cells - full), '.').c_str(),
                     fraction * 100, without_controls(stage).c_str());
        std::fflush(stderr);
    };
}

void end_progress(const GlobalOptions& global)
{
    if (draws_progress(global)) {
        std::fputs("\r\033[K", stderr);
        std::fflush(stderr);
    }
}

void install_interrupt_handler()
{
    const auto handler = [](int signal) {
        interrupt_requested = 1;
        std::signal(signal, SIG_DFL); // a second one ends the program at once
    };
    std::signal(SIGINT, handler);
    std::signal(SIGTERM, handler);
}

bool interrupted()
{
    return interrupt_requested != 0;
}

} // namespace texelscope::cli
