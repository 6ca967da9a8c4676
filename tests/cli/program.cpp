#include "tests/cli/program.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

namespace texelscope::test {
namespace {

std::string quoted(const std::string& word)
{
    std::string text = "'";
    for (const char c : word) {
        text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    }
    return text + "'";
}

std::string command_line(const Words& words)
{
    std::string command;
    for (const std::string& word : words) {
        command += quoted(word) + " ";
    }
    return command;
}

Words program_and(Words arguments)
{
    arguments.insert(arguments.begin(), TEXELSCOPE_PROGRAM);
    return arguments;
}

/// Exit code, or -1 where a signal ended it.
int shell(const std::string& command)
{
    const int status =
        std::system(command.c_str()); // NOLINT: a test runs the program as a user's shell does
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

} // namespace

Words operator+(Words words, const Words& more)
{
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

int run_to_full_device(const Words& arguments)
{
    return shell(command_line(program_and(arguments)) + ">/dev/full 2>/dev/null </dev/null");
}

ProgramResult run_program(const Words& arguments, const std::string& environment)
{
    return run_words(program_and(arguments), environment);
}

ProgramResult run_words(const Words& words, const std::string& environment)
{
    const TemporaryFolder folder;
    const int exit_code =
        shell(environment + " " + command_line(words) + ">" + quoted(folder.file("out")) + " 2>" +
              quoted(folder.file("err")) + " </dev/null");
    return {exit_code, read_file(folder.file("out")), read_file(folder.file("err"))};
}

std::string read_file(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

} // namespace texelscope::test
