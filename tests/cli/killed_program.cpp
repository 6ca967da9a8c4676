#include "tests/cli/killed_program.hpp"

#include "tests/cli/program.hpp"

#include <nlohmann/json.hpp>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <fstream>
#include <stdexcept>

namespace texelscope::test {

bool kill_when(const std::vector<std::string>& words, const std::function<bool()>& ready,
               const std::function<pid_t(pid_t)>& victim)
{
    std::vector<char*> arguments;
    for (const std::string& word : words) {
        arguments.push_back(const_cast<char*>(word.c_str()));
    }
    arguments.push_back(nullptr);
    const pid_t child = ::fork();
    if (child < 0) {
        throw std::runtime_error("no process could be started");
    }
    if (child == 0) {
        (void)std::freopen("/dev/null", "w", stdout);
        (void)std::freopen("/dev/null", "w", stderr);
        ::execvp(arguments[0], arguments.data());
        ::_exit(127);
    }
    while (!ready()) {
        if (::waitpid(child, nullptr, WNOHANG) != 0) {
            return false;
        }
    }
    ::kill(victim ? victim(child) : child, SIGKILL);
    (void)::waitpid(child, nullptr, 0);
    return true;
}

std::vector<pid_t> children_of(pid_t process)
{
    const std::string number = std::to_string(process);
    std::ifstream file("/proc/" + number + "/task/" + number + "/children");
    std::vector<pid_t> children;
    for (pid_t child = 0; file >> child;) {
        children.push_back(child);
    }
    return children;
}

int rows_of_store(const std::string& store)
{
    const ProgramResult listed = run_program({"results", "list", store, "--json"});
    return listed.exit_code == 0 ? nlohmann::json::parse(listed.output)["total"].get<int>() : 0;
}

} // namespace texelscope::test
