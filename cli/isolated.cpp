#include "cli/isolated.hpp"

#include "base/error.hpp"
#include "cli/terminal.hpp"
#include "sim/simulate.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>

namespace texelscope::cli {
namespace {

constexpr char succeeded = 'r';
constexpr char threw = 'e';

void write_all(int file, const std::string& text)
{
    for (std::size_t done = 0; done < text.size();) {
        const ssize_t wrote = ::write(file, text.data() + done, text.size() - done);
        if (wrote < 0 && errno != EINTR) {
            return; // nobody reads any more
        }
        done += wrote > 0 ? static_cast<std::size_t>(wrote) : 0;
    }
}

[[noreturn]] void run_child(int file, const std::function<std::string()>& work)
{
#ifndef __SANITIZE_ADDRESS__ // whose reports are to be seen
    // Compilers in drivers print their counts of errors; what failed comes back as text.
    if (const int nothing = ::open("/dev/null", O_WRONLY); nothing >= 0) {
        ::dup2(nothing, STDERR_FILENO);
    }
#endif
    std::string text;
    try {
        text = succeeded + work();
    } catch (const std::exception& error) {
        text = threw + std::string(error.what());
    } catch (...) {
        text = threw + std::string("interrupted");
    }
    write_all(file, text);
    ::_exit(0); // no destructors: a driver may hang in its own
}

/// Everything up to the end of the file; nothing after the deadline or an interrupt.
bool read_all(int file, double seconds, std::string& text)
{
    using Clock = std::chrono::steady_clock;
    const auto deadline = Clock::now() + std::chrono::duration<double>(seconds);
    std::array<char, 65536> part{};
    while (Clock::now() < deadline && !interrupted()) {
        pollfd waiting{file, POLLIN, 0};
        constexpr int milliseconds = 100;
        if (::poll(&waiting, 1, milliseconds) <= 0) {
            continue;
        }
        const ssize_t got = ::read(file, part.data(), part.size());
        if (got == 0) {
            return true;
        }
        if (got > 0) {
            text.append(part.data(), static_cast<std::size_t>(got));
        }
    }
    return false;
}

} // namespace

std::string isolated(const std::function<std::string()>& work, double seconds)
{
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) {
        throw missing(std::string("no pipe to a child process: ") + std::strerror(errno));
    }
    std::fflush(nullptr); // what is in buffers would be written twice
    const pid_t child = ::fork();
    if (child < 0) {
        ::close(ends[0]);
        ::close(ends[1]);
        throw missing(std::string("no child process: ") + std::strerror(errno));
    }
    if (child == 0) {
        ::close(ends[0]);
        run_child(ends[1], work);
    }
    ::close(ends[1]);
    std::string text;
    const bool ended = read_all(ends[0], seconds, text);
    ::close(ends[0]);
    if (!ended) {
        ::kill(child, SIGKILL);
    }
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (interrupted()) {
        throw Interrupted{};
    }
    if (!ended) {
        throw missing(fmt::format("it took longer than {} s and was ended", seconds));
    }
    if (WIFSIGNALED(status)) {
        throw missing(
            fmt::format("its process died of signal {} ({})", WTERMSIG(status), ::strsignal(WTERMSIG(status))));
    }
    if (text.empty() || text.front() != succeeded) {
        throw missing(text.empty() ? "its process ended without a word" : text.substr(1));
    }
    return text.substr(1);
}

} // namespace texelscope::cli
