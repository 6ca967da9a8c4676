// A shell on another machine by adb or ssh, whose connection may drop at any time. A command that
// ran to its end is told by a last line with its status: without it the connection was lost, and
// nothing is known of the command.

#include "devices/runners/remote_shell.hpp"

#include "base/error.hpp"
#include "devices/jobs/sized_blocks.hpp"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

namespace texelscope::devices {
namespace {

using Clock = std::chrono::steady_clock;

// Limits, in seconds: of a first answer, and of copying one file.
constexpr double reach_seconds = 30, transfer_seconds = 1800;

Words operator+(Words left, const Words& right)
{
    left.insert(left.end(), right.begin(), right.end());
    return left;
}

/// Removes "texelscope-status=N" from the end of a command's output. False if it is not there, that
/// is, if the command did not run to its end.
bool take_status(std::string& output, int& status)
{
    const std::string mark = "texelscope-status=";
    const std::size_t at = output.rfind(mark);
    if (at == std::string::npos) {
        return false;
    }
    const std::size_t digits = at + mark.size();
    std::int64_t number = 0;
    if (!parse_integer(output.substr(digits, output.find_first_of("\r\n", digits) - digits),
                       number)) {
        return false;
    }
    status = static_cast<int>(number);
    output.erase(at);
    return true;
}

bool contains(const std::string& text, const char* part)
{
    return text.find(part) != std::string::npos;
}

/// The last line in which `part` stands.
std::string line_with(const std::string& output, const char* part)
{
    const std::size_t at = output.rfind(part);
    return last_line(output.substr(0, output.find('\n', at)));
}

} // namespace

std::string disk_complaint(const std::string& output)
{
    for (const auto& [said, complaint] :
         {std::pair("No space left on device", "there is not enough space"),
          std::pair("Permission denied", "permission is denied"),
          std::pair("Read-only file system", "nothing can be written")}) {
        // "Permission denied (publickey)" is ssh, which does not let us in.
        if (contains(output, said) && !contains(output, "Permission denied (")) {
            return std::string(complaint) + ": " + line_with(output, said);
        }
    }
    return {};
}

std::string quoted(const std::string& word)
{
    // Within single quotes only the quote itself is special: it ends the text, stands escaped, and
    // begins the text again.
    std::string text = "'";
    for (const char c : word) {
        text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    }
    return text + "'";
}

ShellCommands local_commands(const std::string& folder)
{
    const auto copy = [](const std::string& from, const std::string& to) {
        return Words{"cp", from, to};
    };
    return {"this machine",
            folder,
            copy,
            copy,
            [](const std::string& command) {
                return Words{"sh", "-c", command};
            },
            {"true"},
            {"true"},
            "check the disk of the temporary files, or set TMPDIR to another folder"};
}

ShellCommands adb_commands(const std::string& serial)
{
    const Words adb{"adb", "-s", serial};
    return {"adb:" + serial,
            "/data/local/tmp/texelscope", // where Android's shell user may start programs
            [adb](const std::string& from, const std::string& to) {
                return adb + Words{"push", from, to};
            },
            [adb](const std::string& from, const std::string& to) {
                return adb + Words{"pull", from, to};
            },
            [adb](const std::string& command) {
                return adb + Words{"shell", command};
            },
            adb + Words{"get-state"},
            adb + Words{"wait-for-device"},
            "plug the phone in, allow USB debugging on it, and see 'adb devices'"};
}

ShellCommands ssh_commands(const std::string& host)
{
    // No questions; a connection that is silent for a minute is dropped.
    const Words options{"-o", "BatchMode=yes",          "-o", "ConnectTimeout=10",
                        "-o", "ServerAliveInterval=15", "-o", "ServerAliveCountMax=4"};
    const Words ssh = Words{"ssh"} + options + Words{host};
    const Words scp = Words{"scp", "-q"} + options;
    return {"ssh:" + host,
            ".cache/texelscope", // in the home folder
            [scp, host](const std::string& from, const std::string& to) {
                return scp + Words{from, host + ":" + to};
            },
            [scp, host](const std::string& from, const std::string& to) {
                return scp + Words{host + ":" + from, to};
            },
            [ssh](const std::string& command) { return ssh + Words{command}; },
            ssh + Words{"true"},
            ssh + Words{"true"},
            "check that 'ssh -o BatchMode=yes " + host + " true' works without a question"};
}

RemoteShell::RemoteShell(ShellCommands commands, ReconnectOptions options)
    : commands_(std::move(commands)), options_(options)
{
    const ProcessOutcome outcome = run_process(commands_.reach, reach_seconds);
    if (outcome.exit_code != 0) {
        throw unreachable("cannot be reached", outcome.timed_out ? "no answer" : outcome.output);
    }
}

Error RemoteShell::unreachable(const std::string& what, const std::string& output) const
{
    // adb says these in several lines, of which the last is no reason.
    if (contains(output, "unauthorized")) {
        return missing(what + ": the phone does not trust this computer (unauthorized)",
                       commands_.name,
                       "unlock it and allow USB debugging in the dialog on its screen");
    }
    if (contains(output, "insufficient permissions") || contains(output, "no permissions")) {
        return missing(what + ": this user may not open the phone's USB device (no permissions)",
                       commands_.name,
                       "install udev rules for it (Debian: android-sdk-platform-tools-common), "
                       "and plug it in again");
    }
    return missing(what + ": " + last_line(output), commands_.name, commands_.remedy);
}

void RemoteShell::reconnect(const std::string& said) const
{
    const auto start = Clock::now();
    std::chrono::milliseconds pause(200);
    std::string last = said;
    while (true) {
        const double left =
            options_.seconds - std::chrono::duration<double>(Clock::now() - start).count();
        if (left <= 0) {
            throw unreachable("the connection is lost", last);
        }
        const ProcessOutcome outcome = run_process(commands_.wait, left);
        if (outcome.exit_code == 0) {
            return;
        }
        last = outcome.output.empty() ? last : outcome.output;
        std::this_thread::sleep_for(pause);
        pause = std::min(pause * 2, std::chrono::milliseconds(5000));
    }
}

Words RemoteShell::in_folder(const std::string& command) const
{
    const std::string folder = quoted(commands_.folder);
    // Programs are started in this folder, so that other users of the machine must not be able to
    // write there, whatever permissions new files get by default.
    return commands_.shell("umask 077 && mkdir -p " + folder + " && cd " + folder + " && { " +
                           command + "; }; echo texelscope-status=$?");
}

RemoteShell::Answer RemoteShell::run(const std::string& command, const std::string& again) const
{
    for (int tries = 0;; ++tries) {
        ProcessOutcome outcome = run_process(in_folder(tries == 0 ? command : again));
        Answer answer;
        if (take_status(outcome.output, answer.status)) {
            answer.output = std::move(outcome.output);
            return answer;
        }
        if (tries == options_.times) {
            throw unreachable("the connection was lost " + std::to_string(tries + 1) + " times",
                              outcome.output);
        }
        reconnect(outcome.output);
    }
}

std::string RemoteShell::run_safely(const std::string& command) const
{
    Answer answer = run(command, command);
    if (const std::string disk = disk_complaint(answer.output);
        answer.status != 0 && !disk.empty()) {
        throw missing(disk, commands_.name,
                      "make room there, and see that " + commands_.folder + " can be written");
    }
    if (answer.status != 0) {
        throw missing("'" + command + "' ended with status " + std::to_string(answer.status) +
                          ": " + last_line(answer.output),
                      commands_.name, commands_.remedy);
    }
    return answer.output;
}

void RemoteShell::try_to(const std::string& command) const noexcept
{
    try {
        (void)run_process(in_folder(command), reach_seconds);
    } catch (...) { // the caller does not depend on it
    }
}

void RemoteShell::transfer(const Words& words, const std::string& remedy) const
{
    for (int tries = 0;; ++tries) {
        const ProcessOutcome outcome = run_process(words, transfer_seconds);
        if (outcome.exit_code == 0) {
            return;
        }
        if (const std::string disk = disk_complaint(outcome.output); !disk.empty()) {
            throw missing("a file cannot be transferred, " + disk, commands_.name, remedy);
        }
        if (tries == options_.times) {
            throw unreachable("a file cannot be transferred", outcome.output);
        }
        reconnect(outcome.output);
    }
}

void RemoteShell::push(const std::string& from, const std::string& to) const
{
    transfer(commands_.push(from, commands_.folder + "/" + to),
             "make room there, and see that " + commands_.folder + " can be written");
}

void RemoteShell::pull(const std::string& from, const std::string& to) const
{
    transfer(commands_.pull(commands_.folder + "/" + from, to),
             "make room on this machine, or set TMPDIR");
}

} // namespace texelscope::devices
