#include "devices/compilers/program_text.hpp"

#include "base/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

namespace texelscope::devices {
namespace {

namespace fs = std::filesystem;

/// Of one program: its own file, and all that is written in.
constexpr std::size_t most_bytes = std::size_t{64} << 20;
/// As deep as clang goes by itself; and so many that only doubling reaches them.
constexpr std::size_t most_depth = 200, most_includes = 10'000;

std::string contents(const std::string& path)
{
    std::ifstream in(path, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(in), {}};
    if (!in.is_open() || in.bad() || fs::is_directory(path)) {
        throw bad_input("cannot be read", path, "give a file of OpenCL C");
    }
    return text;
}

/// A line of a file in front of which it says so: `#line 3 "a.h"`.
std::string line_mark(std::size_t line, const std::string& path)
{
    std::string quoted;
    for (const char letter : path) {
        quoted += letter == '"' || letter == '\\' ? std::string{'\\', letter} : std::string{letter};
    }
    return fmt::format("#line {} \"{}\"\n", line, quoted);
}

/// The words behind '#' in a line that is a directive: "include", "\"a.h\"".
struct Directive {
    std::string name, rest;
};

std::string trimmed(std::string_view text)
{
    const std::size_t first = text.find_first_not_of(" \t\r");
    const std::size_t last = text.find_last_not_of(" \t\r");
    return first == std::string_view::npos ? std::string()
                                           : std::string(text.substr(first, last - first + 1));
}

std::optional<Directive> directive(std::string_view line)
{
    const std::string text = trimmed(line);
    if (text.empty() || text[0] != '#') {
        return std::nullopt;
    }
    const std::string words = trimmed(text.substr(1));
    std::size_t end = 0;
    while (end < words.size() && std::isalpha(static_cast<unsigned char>(words[end])) != 0) {
        ++end;
    }
    return Directive{words.substr(0, end), trimmed(words.substr(end))};
}

/// Goes through lines and knows which of them begin within a comment.
class Comments {
public:
    /// Whether the line begins in a comment; then goes on behind it.
    bool begins_within(std::string_view line)
    {
        const bool within = within_;
        bool quoted = false;
        for (std::size_t at = 0; at < line.size(); ++at) {
            const std::string_view two = line.substr(at, 2);
            if (within_) {
                within_ = two != "*/";
                at += within_ ? 0 : 1;
            } else if (quoted) {
                at += line[at] == '\\' ? 1U : 0U;
                quoted = at >= line.size() || line[at] != '"';
            } else if (two == "//") {
                break;
            } else if (two == "/*") {
                within_ = true;
                ++at;
            } else {
                quoted = line[at] == '"';
            }
        }
        return within;
    }

private:
    bool within_ = false;
};

std::vector<Directive> directives(const std::string& text)
{
    std::vector<Directive> found;
    Comments comments;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
        auto one = comments.begins_within(line) ? std::nullopt : directive(line);
        if (one) {
            found.push_back(std::move(*one));
        }
    }
    return found;
}

bool is_once(const Directive& of)
{
    return of.name == "pragma" && of.rest == "once";
}

/// Whether the text is nothing the second time: its first directive is an #ifndef of a name that
/// the second one defines.
bool is_guarded(const std::vector<Directive>& of)
{
    return of.size() > 1 && of[0].name == "ifndef" && of[1].name == "define" &&
           (of[1].rest + " ").starts_with(of[0].rest + " ");
}

class Includes {
public:
    explicit Includes(std::span<const std::string> folders) : folders_(folders) {}

    std::string written(const std::string& path)
    {
        open_.push_back(path);
        const std::string text = contents(path);
        if (std::ranges::any_of(directives(text), is_once)) {
            once_.insert(fs::weakly_canonical(path).string());
        }
        std::string out = line_mark(1, path);
        Comments comments;
        std::istringstream in(text);
        std::size_t number = 0;
        for (std::string line; std::getline(in, line);) {
            ++number;
            const auto found = comments.begins_within(line) ? std::nullopt : directive(line);
            const auto file =
                found && found->name == "include" ? searched(found->rest, path) : std::nullopt;
            if (file) {
                out += included(*file) + line_mark(number + 1, path);
                if (out.size() > most_bytes) {
                    throw bad_input("with what it includes it has more than 64 MiB", open_.front());
                }
            } else {
                // The compiler would say that it is in no header.
                out += (found && is_once(*found) ? "" : line) + "\n";
            }
        }
        open_.pop_back();
        return out;
    }

private:
    /// The file that `"a.h"` or `<a.h>` names in a file; nothing where there is none.
    [[nodiscard]] std::optional<std::string> searched(const std::string& named,
                                                      const std::string& in) const
    {
        const std::size_t end =
            named.size() < 2 ? std::string::npos : named.find(named[0] == '<' ? '>' : '"', 1);
        if (end == std::string::npos || (named[0] != '<' && named[0] != '"')) {
            return std::nullopt;
        }
        const std::string name = named.substr(1, end - 1);
        std::vector<fs::path> places{fs::path(in).parent_path()};
        places.insert(places.end(), folders_.begin(), folders_.end());
        for (const fs::path& place : places) {
            std::error_code unreadable;
            if (fs::is_regular_file(place / name, unreadable)) {
                return (place / name).string();
            }
        }
        return std::nullopt;
    }

    std::string included(const std::string& path)
    {
        const fs::path file = fs::weakly_canonical(path);
        const bool again = std::ranges::any_of(
            open_, [&](const std::string& open) { return fs::weakly_canonical(open) == file; });
        if (once_.contains(file.string()) || (again && is_guarded(directives(contents(path))))) {
            return {};
        }
        if (open_.size() >= most_depth) {
            throw bad_input("its includes have no end", path, "guard it, e.g. by #pragma once");
        }
        if (++includes_ > most_includes) {
            throw bad_input(fmt::format("it includes more than {} files", most_includes),
                            open_.front(), "guard them, e.g. by #pragma once");
        }
        return written(path);
    }

    std::span<const std::string> folders_;
    std::vector<std::string> open_; ///< files that are being written in
    std::set<std::string> once_;    ///< that are never written in again
    std::size_t includes_ = 0;
};

} // namespace

std::string program_text(const std::string& path, std::span<const std::string> folders)
{
    const std::string own = contents(path);
    if (own.find_first_not_of(" \t\r\n") == std::string::npos) {
        throw bad_input("holds nothing", path, "give a file of OpenCL C");
    }
    return Includes(folders).written(path);
}

ProgramOptions program_options(const std::string& options)
{
    ProgramOptions parted;
    std::vector<std::string> words;
    std::string word;
    char quote = 0;
    bool begun = false;
    const auto end_word = [&] {
        if (begun) {
            words.push_back(word);
        }
        word.clear();
        begun = false;
    };
    for (const char letter : options) {
        if (quote == 0 && (letter == ' ' || letter == '\t' || letter == '\n')) {
            end_word();
        } else if (quote == 0 && (letter == '"' || letter == '\'')) {
            quote = letter;
            begun = true;
        } else if (letter == quote) {
            quote = 0;
        } else {
            word += letter;
            begun = true;
        }
    }
    if (quote != 0) {
        throw bad_input("a quote is not closed", options, "close it");
    }
    end_word();
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (!words[i].starts_with("-I")) {
            const bool blank = words[i].find_first_of(" \t\n") != std::string::npos;
            parted.options +=
                (parted.options.empty() ? "" : " ") + (blank ? "\"" + words[i] + "\"" : words[i]);
        } else if (words[i].size() > 2) {
            parted.folders.push_back(words[i].substr(2));
        } else if (i + 1 < words.size()) {
            parted.folders.push_back(words[++i]);
        } else {
            throw bad_input("-I has no folder", options, "name one behind it");
        }
    }
    return parted;
}

} // namespace texelscope::devices
