#include "base/error.hpp"
#include "base/program_folder.hpp"
#include "cli/command.hpp"

#include <CLI/CLI.hpp>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <vector>

namespace texelscope::cli {

Command gui_command(CLI::App& app, const GlobalOptions&)
{
    CLI::App* parser = app.add_subcommand("gui", "opens the workbench on the same arguments");
    parser->prefix_command(); // everything after it is the window's business
    return {parser, [parser]() -> int {
                // The window is a program of its own, so that this one does not need Qt. It
                // replaces this process and so keeps its terminal and its exit code.
                const std::filesystem::path program =
                    std::filesystem::path(program_folder()) / "texelscope-gui";
                std::vector<std::string> words{program.string()};
                for (const std::string& word : parser->remaining()) {
                    words.push_back(word);
                }
                std::vector<char*> arguments;
                for (std::string& word : words) {
                    arguments.push_back(word.data());
                }
                arguments.push_back(nullptr);
                execv(program.c_str(), arguments.data());
                // execv() returns only where it fails.
                throw missing(std::string("cannot be started: ") + std::strerror(errno),
                              program.string(), "build with Qt 6 (qt6-base-dev) to get the window");
            }};
}

} // namespace texelscope::cli
