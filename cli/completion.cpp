#include "cli/completion.hpp"

#include "base/error.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

namespace texelscope::cli {
namespace {

/// A word in single quotes. The shells differ only in how a quote inside is written: bash and zsh
/// end the quotes, add an escaped one and begin anew; fish escapes it.
std::string shell_quoted(std::string_view text, std::string_view quote_itself = "'\\''")
{
    std::string out = "'";
    for (const char c : text) {
        out += c == '\'' ? std::string(quote_itself) : std::string(1, c);
    }
    return out + "'";
}

std::string subcommands_of(const DescribedCommand& command)
{
    std::string names;
    for (const DescribedCommand& below : command.commands) {
        names += (names.empty() ? "" : " ") + below.path.substr(below.path.rfind(' ') + 1);
    }
    return names;
}

/// The options of a command and those of the program, which every command takes.
std::vector<DescribedOption> options_at(const DescribedCommand& program,
                                        const DescribedCommand& command)
{
    std::vector<DescribedOption> options = command.options;
    if (&command != &program) {
        for (const DescribedOption& option : program.options) {
            const bool own = std::ranges::any_of(
                options, [&](const DescribedOption& each) { return each.names == option.names; });
            if (!own && option.names.front() != "--version") {
                options.push_back(option);
            }
        }
    }
    return options;
}

/// What stands behind an option in a pattern of the shell's case: "|--op|-o".
std::string joined_names(const DescribedOption& option, const char* between)
{
    return fmt::format("{}", fmt::join(option.names, between));
}

/// The lines of a function that finds in $words (from number `first` on, up to the one before the
/// cursor) the path of the command, "trace capture"; the same in bash and zsh but for how they
/// count.
std::string path_lines(const DescribedCommand& program, int first, const char* words,
                       const char* end)
{
    std::vector<std::string> paths;
    for (const DescribedCommand* const command : all_of(program)) {
        if (!command->path.empty()) {
            paths.push_back(shell_quoted(command->path));
        }
    }
    return fmt::format("    local path= word= i\n"
                       "    for ((i = {}; i < {}; i++)); do\n"
                       "        word=\"${{path:+$path }}${{{}[i]}}\"\n"
                       "        case \"$word\" in\n"
                       "            {}) path=$word ;;\n"
                       "        esac\n"
                       "    done\n",
                       first, end, words, fmt::join(paths, " | "));
}

/// bash: one function finds the subcommand, then offers the words of the option before the cursor,
/// or else all options of the subcommand.
std::string bash_script(const DescribedCommand& program)
{
    std::string text =
        "# Completion of texelscope for bash, made by: texelscope completion bash\n\n"
        "_texelscope()\n{\n"
        "    local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} "
        "words=\n" +
        path_lines(program, 1, "COMP_WORDS", "COMP_CWORD") +
        "    COMPREPLY=()\n    case \"$path\" in\n";
    for (const DescribedCommand* const command : all_of(program)) {
        std::string options;
        std::string values;
        std::string positionals = subcommands_of(*command);
        for (const DescribedOption& option : options_at(program, *command)) {
            if (option.positional) {
                positionals += fmt::format("{}{}", positionals.empty() ? "" : " ",
                                           fmt::join(option.words, " "));
                continue;
            }
            options += (options.empty() ? "" : " ") + joined_names(option, " ");
            // others' values are files, if anything: bash completes them by itself
            if (option.takes_value) {
                values +=
                    fmt::format("                {}) words={} ;;\n", joined_names(option, " | "),
                                shell_quoted(fmt::format("{}", fmt::join(option.words, " "))));
            }
        }
        text += fmt::format(
            "        {})\n            case \"$before\" in\n{}                *)\n"
            "                    if [[ $current == -* ]]; then words={}; else words={}; fi\n"
            "                    ;;\n            esac\n            ;;\n",
            shell_quoted(command->path), values, shell_quoted(options), shell_quoted(positionals));
    }
    return text + "    esac\n"
                  "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
                  "    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]]; then compopt -o "
                  "nospace; fi\n"
                  "}\n\ncomplete -o default -F _texelscope texelscope\n";
}

/// A text inside of the brackets or behind the colon of _arguments.
std::string zsh_text(const std::string& text)
{
    std::string out;
    for (const char c : text) {
        out += (std::string_view("[]:\\").find(c) != std::string_view::npos ? "\\" : "") +
               std::string(1, c);
    }
    return out;
}

std::string zsh_values(const DescribedOption& option)
{
    return option.words.empty()
               ? "_files"
               : fmt::format("({})", zsh_text(fmt::format("{}", fmt::join(option.words, " "))));
}

/// zsh: _arguments does the work, given a line for each option. It has to see the words of the
/// subcommand alone, so the words before it are cut off.
std::string zsh_script(const DescribedCommand& program)
{
    std::string text = "#compdef texelscope\n# Completion of texelscope for zsh, made by: "
                       "texelscope completion zsh\n\n"
                       "_texelscope()\n{\n"
                       "    local depth=1\n" +
                       path_lines(program, 2, "words", "CURRENT") +
                       "    for ((i = 2; i < CURRENT; i++)); do\n"
                       "        if [[ $path == *\"${words[i]}\" && -n $path ]]; then depth=$i; fi\n"
                       "    done\n"
                       "    words=(\"${(@)words[depth,-1]}\")\n"
                       "    ((CURRENT -= depth - 1))\n"
                       "    case \"$path\" in\n";
    for (const DescribedCommand* const command : all_of(program)) {
        std::string specs;
        for (const DescribedOption& option : options_at(program, *command)) {
            if (option.positional) {
                specs += fmt::format(
                    " \\\n                {}",
                    shell_quoted(fmt::format("{}:{}:{}", option.repeatable ? "*" : "",
                                             zsh_text(option.names.front()), zsh_values(option))));
                continue;
            }
            for (const std::string& name : option.names) {
                const std::string value =
                    option.takes_value ? fmt::format(":{}:{}", zsh_text(name), zsh_values(option))
                                       : "";
                specs +=
                    fmt::format(" \\\n                {}",
                                shell_quoted(fmt::format("{}{}[{}]{}", option.repeatable ? "*" : "",
                                                         name, zsh_text(option.about), value)));
            }
        }
        if (!command->commands.empty()) {
            specs += fmt::format(
                " \\\n                {}",
                shell_quoted(fmt::format(":subcommand:({})", subcommands_of(*command))));
        }
        text += fmt::format("        {})\n            _arguments -s{}\n            ;;\n",
                            shell_quoted(command->path), specs);
    }
    return text + "    esac\n}\n\n_texelscope \"$@\"\n";
}

std::string fish_quoted(std::string_view text)
{
    return shell_quoted(text, "\\'");
}

/// fish: one `complete` line for each option, which holds where __texelscope_at answers that the
/// words so far name that subcommand.
std::string fish_script(const DescribedCommand& program)
{
    std::vector<std::string> paths;
    for (const DescribedCommand* const command : all_of(program)) {
        if (!command->path.empty()) {
            paths.push_back(fish_quoted(command->path));
        }
    }
    std::string text =
        fmt::format("# Completion of texelscope for fish, made by: texelscope completion fish\n\n"
                    "# Whether the words so far name that subcommand.\n"
                    "function __texelscope_at\n"
                    "    set -l path\n"
                    "    for word in (commandline -opc)[2..-1]\n"
                    "        set -l longer (string trim \"$path $word\")\n"
                    "        if contains -- $longer {}\n"
                    "            set path $longer\n"
                    "        end\n"
                    "    end\n"
                    "    test \"$path\" = \"$argv\"\n"
                    "end\n\n",
                    fmt::join(paths, " "));
    for (const DescribedCommand* const command : all_of(program)) {
        const std::string at =
            fmt::format("complete -c texelscope -n {}",
                        fish_quoted(fmt::format("__texelscope_at {}", command->path)));
        for (const DescribedCommand& below : command->commands) {
            text += fmt::format("{} -f -a {} -d {}\n", at,
                                fish_quoted(below.path.substr(below.path.rfind(' ') + 1)),
                                fish_quoted(below.about));
        }
        for (const DescribedOption& option : options_at(program, *command)) {
            const std::string words = fish_quoted(fmt::format("{}", fmt::join(option.words, " ")));
            if (option.positional) {
                text += option.words.empty() ? "" : fmt::format("{} -a {}\n", at, words);
                continue;
            }
            for (const std::string& name : option.names) {
                text += fmt::format("{} {} {}{} -d {}\n", at, name.starts_with("--") ? "-l" : "-s",
                                    name.substr(name.find_first_not_of('-')),
                                    !option.takes_value    ? " -f"
                                    : option.words.empty() ? " -r -F"
                                                           : fmt::format(" -x -a {}", words),
                                    fish_quoted(option.about));
            }
        }
    }
    return text;
}

} // namespace

std::string completion_script(const DescribedCommand& program, const std::string& shell)
{
    if (shell == "bash") {
        return bash_script(program);
    }
    if (shell == "zsh") {
        return zsh_script(program);
    }
    if (shell == "fish") {
        return fish_script(program);
    }
    throw bad_input("'" + shell + "' is no shell that completion is made for", "completion",
                    fmt::format("name one of {}", fmt::join(completed_shells, ", ")));
}

} // namespace texelscope::cli
