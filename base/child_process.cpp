#include "base/child_process.hpp"

#include "base/error.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>

namespace texelscope::base {
namespace {

using Clock = std::chrono::steady_clock;

struct Started {
    pid_t process;
    int output; ///< to read from
};

Started start(const Words& words)
{
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) {
        throw missing(std::string("no pipe can be made: ") + std::strerror(errno), words.at(0));
    }
    std::vector<char*> arguments;
    for (const std::string& word : words) {
        arguments.push_back(const_cast<char*>(word.c_str())); // posix_spawn does not write to it
    }
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
    pid_t process = -1;
    const int error = posix_spawnp(&process, arguments[0], &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (error != 0) {
        close(ends[0]);
        throw missing(std::string("cannot be started: ") + std::strerror(error), words[0], "install it, or check PATH");
    }
    return {process, ends[0]};
}

/// Reads to the end of the output; false where the deadline comes first.
bool read_all(int from, bool limited, Clock::time_point deadline, std::string& text)
{
    std::array<char, 4096> bytes{};
    while (true) {
        int wait = -1;
        if (limited) {
            const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
            wait = static_cast<int>(std::clamp<long long>(left, 0, 60'000));
        }
        pollfd waiting{from, POLLIN, 0};
        const int ready = poll(&waiting, 1, wait);
        if (ready == 0 && Clock::now() >= deadline) {
            return false;
        }
        if (ready <= 0) {
            continue; // a signal, or a piece of a long wait
        }
        const ssize_t count = read(from, bytes.data(), bytes.size());
        if (count <= 0) {
            return true;
        }
        text.append(bytes.data(), static_cast<std::size_t>(count));
    }
}

} // namespace

ProcessOutcome run_process(const Words& words, double timeout_seconds)
{
    const bool limited = timeout_seconds > 0;
    const auto deadline =
        Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(timeout_seconds));
    const Started started = start(words);
    ProcessOutcome outcome;
    outcome.timed_out = !read_all(started.output, limited, deadline, outcome.output);
    close(started.output);
    if (outcome.timed_out) {
        kill(started.process, SIGKILL);
    }
    int status = 0;
    while (waitpid(started.process, &status, 0) < 0 && errno == EINTR) {
    }
    outcome.exit_code = WIFEXITED(status) && !outcome.timed_out ? WEXITSTATUS(status) : -1;
    return outcome;
}

std::string last_line(const std::string& output)
{
    const std::size_t end = output.find_last_not_of(" \t\r\n");
    if (end == std::string::npos) {
        return {};
    }
    const std::size_t before = output.rfind('\n', end);
    const std::size_t start = before == std::string::npos ? 0 : before + 1;
    return output.substr(start, end + 1 - start);
}

} // namespace texelscope::base
