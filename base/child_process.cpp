#include "base/child_process.hpp"

#include "base/error.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <utility>

namespace texelscope::base {
namespace {

using Clock = std::chrono::steady_clock;

/// Starts it with these files as its standard ones; what is negative stays this process's.
pid_t spawn(const Words& words, int input, int output, int error)
{
    std::vector<char*> arguments;
    for (const std::string& word : words) {
        arguments.push_back(const_cast<char*>(word.c_str())); // posix_spawn does not write to it
    }
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    for (const auto& [file, standard] :
         {std::pair(input, STDIN_FILENO), std::pair(output, STDOUT_FILENO),
          std::pair(error, STDERR_FILENO)}) {
        if (file >= 0) {
            posix_spawn_file_actions_adddup2(&actions, file, standard);
        }
    }
    pid_t process = -1;
    const int failure =
        posix_spawnp(&process, arguments[0], &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failure != 0) {
        throw missing(std::string("cannot be started: ") + std::strerror(failure), words[0],
                      "install it, or check PATH");
    }
    return process;
}

/// A file of this process that is closed with its owner.
class OwnedFile {
public:
    explicit OwnedFile(int file) : file_(file) {}
    ~OwnedFile()
    {
        if (file_ >= 0) {
            close(file_);
        }
    }
    OwnedFile(const OwnedFile&) = delete;
    OwnedFile& operator=(const OwnedFile&) = delete;

    [[nodiscard]] int get() const { return file_; }
    int release() { return std::exchange(file_, -1); }

private:
    int file_;
};

/// Reads to the end of the output; false where the deadline comes first. Throws Interrupted where
/// `stop` says so.
bool read_all(int from, bool limited, Clock::time_point deadline, const StopToken& stop,
              std::string& text)
{
    const int longest = stop ? 100 : 60'000; // milliseconds until `stop` is asked again
    std::array<char, 4096> bytes{};
    while (true) {
        check_stop(stop);
        int wait = longest;
        if (limited) {
            const auto left =
                std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now())
                    .count();
            wait = static_cast<int>(std::clamp<long long>(left, 0, longest));
        }
        pollfd waiting{from, POLLIN, 0};
        const int ready = poll(&waiting, 1, wait);
        if (ready == 0 && limited && Clock::now() >= deadline) {
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

/// Waits for the end of a process, and ends it before where that is asked for; what it says of its
/// end.
int end_of(pid_t process, bool by_force)
{
    if (by_force) {
        kill(process, SIGKILL);
    }
    int status = 0;
    while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

} // namespace

ProcessOutcome run_process(const Words& words, double timeout_seconds, const StopToken& stop)
{
    const bool limited = timeout_seconds > 0;
    const auto deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                             std::chrono::duration<double>(timeout_seconds));
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) {
        throw missing(std::string("no pipe can be made: ") + std::strerror(errno), words.at(0));
    }
    const OwnedFile from(ends[0]);
    pid_t process = -1;
    // Our copies of the child's ends must be closed, or the end of its output would never come.
    {
        const OwnedFile to(ends[1]), nothing(open("/dev/null", O_RDONLY | O_CLOEXEC));
        process = spawn(words, nothing.get(), to.get(), to.get());
    }
    ProcessOutcome outcome;
    try {
        outcome.timed_out = !read_all(from.get(), limited, deadline, stop, outcome.output);
    } catch (const Interrupted&) {
        (void)end_of(process, true);
        throw;
    }
    const int status = end_of(process, outcome.timed_out);
    outcome.exit_code = WIFEXITED(status) && !outcome.timed_out ? WEXITSTATUS(status) : -1;
    return outcome;
}

ProcessWithSocket start_with_socket(const Words& words)
{
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
        throw missing(std::string("no socket can be made: ") + std::strerror(errno), words.at(0));
    }
    OwnedFile ours(ends[0]);
    const OwnedFile theirs(ends[1]);
    return {spawn(words, theirs.get(), -1, -1), ours.release()};
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
