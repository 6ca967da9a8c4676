// Runs a program under Oclgrind with the capture plugin, for `trace capture`. The plugin writes
// what kernels do into the files of a spool folder (spool_format.hpp); captured_spool.cpp makes a
// trace of them afterwards.

#include "traces/capture/capture_program.hpp"

#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "base/scratch_folder.hpp"
#include "traces/capture/spool_format.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

namespace texelscope::traces {
namespace {

namespace fs = std::filesystem;

bool runnable(const std::string& path)
{
    std::error_code error;
    return fs::is_regular_file(path, error) && ::access(path.c_str(), X_OK) == 0;
}

std::vector<char*> pointers(std::vector<std::string>& texts)
{
    std::vector<char*> out;
    for (std::string& text : texts) {
        out.push_back(text.data());
    }
    out.push_back(nullptr);
    return out;
}

/// Oclgrind's library as a driver that OpenCL's loader loads; empty where it is not beside the
/// program, in the folders that its builds and packages have.
std::string driver_of(const std::string& oclgrind)
{
    std::error_code error;
    const fs::path root = fs::canonical(oclgrind, error).parent_path().parent_path();
    for (const char* place : {"lib/oclgrind", "lib", "lib64/oclgrind", "lib64"}) {
        const fs::path driver = root / place / "liboclgrind-rt-icd.so";
        if (fs::exists(driver, error)) {
            return driver.string();
        }
    }
    return {};
}

/// This process's environment with what the plugin and Oclgrind need. OCLGRIND_QUICK would leave
/// groups out. A program that opens OpenCL's library by itself, as frameworks for phones do, gets
/// the loader, which finds Oclgrind alone among the drivers: their list is the folder `drivers`.
std::vector<std::string> environment_of(const CaptureRequest& request, const std::string& spool,
                                        const std::string& drivers)
{
    std::vector<std::pair<std::string, std::string>> set{
        {"OCL_ICD_VENDORS", drivers},
        {spool::variable::folder, spool},
        {spool::variable::kernel, request.kernel},
        {spool::variable::buffers, request.buffers ? "1" : "0"},
        {spool::variable::operations, request.operations ? "1" : "0"},
        {spool::variable::groups, fmt::format("{}:{}", request.groups.begin, request.groups.end)},
        {spool::variable::subgroup_size, std::to_string(request.subgroup_size)},
        {"OCLGRIND_QUICK", "0"}};
    std::vector<std::string> out;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view text(*entry);
        const std::string_view name = text.substr(0, text.find('='));
        if (std::none_of(set.begin(), set.end(),
                         [&](const auto& one) { return one.first == name; })) {
            out.emplace_back(text);
        }
    }
    for (const auto& [variable, value] : set) {
        out.push_back(variable + "=" + value);
    }
    return out;
}

/// Plugins that the user asked Oclgrind for stay loaded: Oclgrind takes a list whose items are
/// separated by colons.
std::string plugins_with(const std::string& plugin)
{
    const char* others = std::getenv("OCLGRIND_PLUGINS");
    return others == nullptr || *others == '\0' ? plugin : plugin + ":" + others;
}

/// The system's words for an error; std::strerror is not safe to call from several threads.
std::string message(int code)
{
    return std::generic_category().message(code);
}

/// A path of the plugin without the characters at which Oclgrind and the loader split their lists
/// of libraries (space, colon, semicolon), and without `$`, which the loader would replace. A path
/// with such characters gets a symbolic link in a temporary folder, which lasts as long as this
/// object.
class SafeName {
public:
    explicit SafeName(const std::string& plugin) : path_(plugin)
    {
        if (is_safe(plugin)) {
            return;
        }
        std::error_code error;
        fs::path temporary = fs::temp_directory_path(error);
        folder_.emplace(error || !is_safe(temporary.string())
                            ? "/tmp/texelscope"
                            : (temporary / "texelscope").string());
        path_ = folder_->file("capture.so");
        fs::create_symlink(plugin, path_, error);
        if (error) {
            throw missing("no link to the plugin can be made: " + error.message(), plugin,
                          "build or install Texelscope at a path without spaces and colons");
        }
    }

    [[nodiscard]] const std::string& path() const { return path_; }

private:
    static bool is_safe(const std::string& path)
    {
        return path.find_first_of(" \t\n:;$") == std::string::npos;
    }

    std::string path_;
    std::optional<ScratchFolder> folder_;
};

/// While it is there, SIGINT, SIGTERM and SIGHUP do not end this thread, which waits for a child
/// and has to clean up after it. Signals that are ignored already stay so.
class PassedSignals {
public:
    PassedSignals()
    {
        sigemptyset(&caught_);
        sigaddset(&caught_, SIGCHLD);
        for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
            struct sigaction now {};
            // A signal that is ignored, as under nohup, stays ignored.
            if (sigaction(signal, nullptr, &now) == 0 && now.sa_handler != SIG_IGN) {
                sigaddset(&caught_, signal);
            }
        }
        pthread_sigmask(SIG_BLOCK, &caught_, &before_);
    }
    ~PassedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    PassedSignals(const PassedSignals&) = delete;
    PassedSignals& operator=(const PassedSignals&) = delete;

    /// What was blocked before, for the child.
    [[nodiscard]] const sigset_t& before() const { return before_; }

    /// Waits for the child's end. What another process asks of this one alone is passed on to the
    /// child; what comes from the terminal has reached it already. `program` stands in messages.
    [[nodiscard]] ProgramEnd wait(pid_t child, const std::string& program) const
    {
        ProgramEnd end;
        while (true) {
            int status = 0;
            const pid_t done = ::waitpid(child, &status, WNOHANG);
            if (done == child) {
                end.code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
                end.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
                return end;
            }
            if (done < 0 && errno != EINTR) {
                throw missing(message(errno), program);
            }
            // The child's end is a signal, too. Should it be lost, as where the caller ignores
            // SIGCHLD, the next round sees it.
            siginfo_t info{};
            const timespec a_while{1, 0};
            const int signal = sigtimedwait(&caught_, &info, &a_while);
            if (signal == SIGINT || signal == SIGTERM || signal == SIGHUP) {
                end.interrupted = true;
                if (info.si_code <= 0) { // from a process, not from the kernel's terminal
                    ::kill(child, signal);
                }
            }
        }
    }

private:
    sigset_t caught_{};
    sigset_t before_{};
};

} // namespace

std::optional<std::string> find_program(const std::string& name)
{
    if (name.find('/') != std::string::npos) {
        return runnable(name) ? std::optional(name) : std::nullopt;
    }
    const char* path = std::getenv("PATH");
    std::istringstream folders(path == nullptr ? "/usr/bin:/bin" : path);
    for (std::string folder; std::getline(folders, folder, ':');) {
        std::string candidate = (folder.empty() ? std::string(".") : folder) + "/" + name;
        if (runnable(candidate)) {
            return candidate;
        }
    }
    return std::nullopt;
}

ProgramEnd run_captured(const CaptureRequest& request, const std::string& spool)
{
    const auto program = find_program(request.command.at(0));
    if (!program) {
        throw bad_input("there is no such program that may be run", request.command[0]);
    }
    // Oclgrind puts its library in front of what is preloaded already; the one that passes calls on
    // one at a time has to be before that, and so is added by a shell between the two.
    const SafeName plugin(request.plugin);
    std::vector<std::string> words{
        request.oclgrind, "--plugins", plugins_with(plugin.path()),
        "/bin/sh",        "-c",        R"(LD_PRELOAD="$0:$LD_PRELOAD" exec "$@")",
        plugin.path(),    *program};
    words.insert(words.end(), request.command.begin() + 1, request.command.end());
    const ScratchFolder drivers((fs::temp_directory_path() / "texelscope").string());
    if (const std::string driver = driver_of(request.oclgrind); !driver.empty()) {
        write_file_atomically(drivers.file("oclgrind.icd"), driver + "\n");
    }
    std::vector<std::string> variables = environment_of(request, spool, drivers.path());
    const std::vector<char*> arguments = pointers(words);
    const std::vector<char*> environment = pointers(variables);
    const PassedSignals signals;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    if (request.output_to_standard_error) {
        posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
    }
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &signals.before());
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    pid_t child = 0;
    const int error = ::posix_spawn(&child, request.oclgrind.c_str(), &actions, &attributes,
                                    arguments.data(), environment.data());
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0) {
        throw missing(message(error), request.oclgrind);
    }
    return signals.wait(child, request.oclgrind);
}

} // namespace texelscope::traces
