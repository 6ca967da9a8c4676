#include "cli/live_text.hpp"

#include "cli/terminal.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace texelscope::cli {
namespace {

bool redraws(const GlobalOptions& global)
{
    const char* term = std::getenv("TERM");
    return !global.json && !global.quiet && isatty(STDOUT_FILENO) != 0 && term != nullptr &&
           std::string_view(term) != "dumb";
}

struct Room {
    std::size_t rows = 24;
    std::size_t columns = 80;
};
Room room()
{
    winsize size{};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0 || size.ws_col == 0) {
        return {};
    }
    return {size.ws_row, size.ws_col};
}

} // namespace

LiveText::LiveText(const GlobalOptions& global) : global_(global), shows_(redraws(global)) {}

void LiveText::show(const std::string& text)
{
    if (!shows_) {
        return;
    }
    wipe();
    // Lines are cut to the terminal: what wraps or scrolls away could not be taken back.
    const Room has = room();
    std::string shown;
    for (std::size_t begin = 0; begin < text.size() && lines_ + 2 < has.rows; ++lines_) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        shown += text.substr(begin, std::min(end - begin, has.columns - 1)) + "\n";
        begin = end + 1;
    }
    print_text(shown);
    std::fflush(stdout);
}

void LiveText::wipe()
{
    if (lines_ == 0) {
        return;
    }
    end_progress(global_);
    // Up by so many lines, then everything from there on is wiped.
    std::fputs(fmt::format("\r\033[{}A\033[J", lines_).c_str(), stdout);
    std::fflush(stdout);
    lines_ = 0;
}

} // namespace texelscope::cli
