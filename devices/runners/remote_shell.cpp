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

} // namespace

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
        throw missing("cannot be reached: " +
                          (outcome.timed_out ? "no answer" : last_line(outcome.output)),
                      commands_.name, commands_.remedy);
    }
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
            throw missing("the connection is lost: " + last_line(last), commands_.name,
                          commands_.remedy);
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
            throw missing("the connection was lost " + std::to_string(tries + 1) +
                              " times: " + last_line(outcome.output),
                          commands_.name, commands_.remedy);
        }
        reconnect(outcome.output);
    }
}

std::string RemoteShell::run_safely(const std::string& command) const
{
    Answer answer = run(command, command);
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

void RemoteShell::transfer(const Words& words) const
{
    for (int tries = 0;; ++tries) {
        const ProcessOutcome outcome = run_process(words, transfer_seconds);
        if (outcome.exit_code == 0) {
            return;
        }
        if (tries == options_.times) {
            throw missing("a file cannot be transferred: " + last_line(outcome.output),
                          commands_.name, commands_.remedy);
        }
        reconnect(outcome.output);
    }
}

void RemoteShell::push(const std::string& from, const std::string& to) const
{
    transfer(commands_.push(from, commands_.folder + "/" + to));
}

void RemoteShell::pull(const std::string& from, const std::string& to) const
{
    transfer(commands_.pull(commands_.folder + "/" + from, to));
}

} // namespace texelscope::devices
