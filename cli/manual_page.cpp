#include "cli/manual_page.hpp"

#include "base/text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace texelscope::cli {
namespace {

/// Text as roff prints it: "\-" is a hyphen that can be copied into a shell, and "\&" keeps a line
/// that begins with "." from being read as a request.
std::string escaped(const std::string& text)
{
    std::string out;
    for (const char c : text) {
        switch (c) {
        case '\\':
            out += "\\e";
            break;
        case '-':
            out += "\\-";
            break;
        case '\'':
            out += "\\(aq";
            break;
        case '\n':
            out += ' ';
            break;
        default:
            out += c;
        }
    }
    return out.starts_with('.') ? "\\&" + out : out;
}

std::string bold(const std::string& text)
{
    return "\\fB" + escaped(text) + "\\fR";
}

/// Descriptions of options are fragments ("operator: matmul, ..."); a manual page has sentences.
std::string sentence(std::string text)
{
    if (!text.empty()) {
        text.front() = base::upper_case(text.substr(0, 1)).front();
        text += text.ends_with('.') ? "" : ".";
    }
    return escaped(text);
}

std::string option_paragraph(const DescribedOption& option)
{
    std::string names;
    for (const std::string& name : option.names) {
        names += (names.empty() ? "" : ", ") +
                 (option.positional ? "\\fI" + escaped(name) + "\\fR" : bold(name));
    }
    if (option.takes_value && !option.positional) {
        names += " \\fIVALUE\\fR";
    }
    std::string text = ".TP\n" + names + "\n" + sentence(option.about) + "\n";
    if (option.repeatable) {
        text += "May be given several times.\n";
    }
    if (!option.otherwise.empty()) {
        text += "Default: " + bold(option.otherwise) + ".\n";
    }
    const auto says = [&](const std::string& word) {
        return option.about.find(word) != std::string::npos;
    };
    // of profiles: too many to list
    const bool keys = !option.words.empty() && option.words.front().ends_with('=');
    if (keys || std::ranges::all_of(option.words, says)) {
        return text;
    }
    return text + "Takes: " + escaped(fmt::format("{}", fmt::join(option.words, ", "))) + ".\n";
}

std::string options_text(const DescribedCommand& command, const char* heading)
{
    std::string text = fmt::format(".{}\n", heading);
    for (const DescribedOption& option : command.options) {
        text += option_paragraph(option);
    }
    return text;
}

std::string usage(const DescribedCommand& command)
{
    std::string text = bold("texelscope" + (command.path.empty() ? "" : " " + command.path)) +
                       " [\\fIOPTION\\fR...]";
    for (const DescribedOption& option : command.options) {
        text += option.positional ? " [\\fI" + escaped(option.names.front()) + "\\fR" +
                                        (option.repeatable ? "...]" : "]")
                                  : "";
    }
    return text + (command.commands.empty() ? "" : " \\fISUBCOMMAND\\fR") + "\n";
}

std::string heading(const std::string& name, const std::string& about, const std::string& version)
{
    // No date: the same version gives the same page.
    return fmt::format(".TH {} 1 \"\" \"Texelscope {}\" \"User Commands\"\n.SH NAME\n{} \\- {}\n",
                       base::upper_case(escaped(name)), version, escaped(name), escaped(about));
}

constexpr const char* endings = ".SH EXIT STATUS\n"
                                ".TP\n0\nDone.\n"
                                ".TP\n1\nThe check that was asked for failed.\n"
                                ".TP\n2\nBad input or usage.\n"
                                ".TP\n3\nA device or a dependency is missing.\n"
                                ".TP\n130\nInterrupted.\n";

std::string page_name(const DescribedCommand& command)
{
    return "texelscope-" + command.path;
}

ManualPage page_of(const DescribedCommand& command, const std::string& version)
{
    std::string text = heading(page_name(command), command.about, version) + ".SH SYNOPSIS\n";
    if (command.commands.empty()) {
        text += usage(command);
    }
    for (const DescribedCommand& below : command.commands) {
        text += (&below == &command.commands.front() ? "" : ".br\n") + usage(below);
    }
    text += ".SH DESCRIPTION\n" + sentence(command.about) + "\n";
    text += command.commands.empty() ? options_text(command, "SH OPTIONS") : "";
    for (const DescribedCommand& below : command.commands) {
        text += fmt::format(".SH {}\n{}\n{}", base::upper_case(escaped(below.path)),
                            sentence(below.about), options_text(below, "SS Options"));
    }
    text += ".PP\nThe options of " + bold("texelscope") + "(1) may be given as well.\n";
    return {page_name(command) + ".1",
            text + endings + ".SH SEE ALSO\n" + bold("texelscope") + "(1)\n"};
}

} // namespace

std::vector<ManualPage> manual_pages(const DescribedCommand& program, const std::string& version)
{
    // The program's description begins with its name, and the heading has the name already.
    const std::size_t colon = program.about.find(": ");
    std::string text =
        heading("texelscope", program.about.substr(colon == std::string::npos ? 0 : colon + 2),
                version) +
        ".SH SYNOPSIS\n" + usage(program) +
        ".SH DESCRIPTION\n"
        "GPUs read images through a small texture cache with an undocumented storage layout. "
        "Texelscope shows an "
        "operator\\(aqs accesses texel by texel, and puts three judges of a configuration side by "
        "side: an analytical "
        "model, a simulator of the texture cache, and real OpenCL execution.\n"
        ".PP\nData go to standard output; notes, progress and errors to standard error, an error "
        "in one line. With " +
        bold("--json") + " a subcommand prints one JSON object.\n.SH SUBCOMMANDS\n";
    std::string others;
    std::vector<ManualPage> pages;
    // One page for each subcommand; those below it ("trace info") are sections of its page.
    for (const DescribedCommand& command : program.commands) {
        text += fmt::format(".TP\n{}(1)\n{}\n", bold(page_name(command)), sentence(command.about));
        others += (others.empty() ? "" : ",\n") + bold(page_name(command)) + "(1)";
        pages.push_back(page_of(command, version));
    }
    text += options_text(program, "SH OPTIONS") + endings +
            ".SH ENVIRONMENT\n"
            ".TP\n" +
            bold("XDG_CACHE_HOME") +
            "\nWhere compilers and what they made are kept, in texelscope/; else ~/.cache.\n"
            ".TP\n" +
            bold("TEXELSCOPE_OCLGRIND, TEXELSCOPE_CAPTURE_PLUGIN") +
            "\nThe program and the plugin of trace capture.\n"
            ".TP\n" +
            bold("TERM") +
            "\nProgress is drawn at a terminal that is not dumb.\n"
            ".SH SEE ALSO\n" +
            others + "\n";
    pages.insert(pages.begin(), {"texelscope.1", std::move(text)});
    return pages;
}

} // namespace texelscope::cli
