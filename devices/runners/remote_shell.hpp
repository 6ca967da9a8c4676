#pragma once

#include "base/child_process.hpp"
#include "base/error.hpp"
#include "devices/runners/job_runner_options.hpp"

#include <functional>
#include <string>

namespace texelscope::devices {

/// How one kind of connection is used: commands of this machine, word by word.
struct ShellCommands {
    std::string name;   ///< name of the machine, for messages
    std::string folder; ///< folder on that machine where files can be put and programs started
    std::function<Words(const std::string&from, const std::string&to)> push, pull;
    /// Runs a command in a POSIX shell on that machine.
    std::function<Words(const std::string& command)> shell;
    /// A command that exits with 0 if the machine can be reached.
    Words reach;
    Words wait;         ///< the same, but it may wait for the machine
    std::string remedy; ///< what to do if the machine cannot be reached
};

[[nodiscard]] ShellCommands local_commands(const std::string& folder);
[[nodiscard]] ShellCommands adb_commands(const std::string& serial);
[[nodiscard]] ShellCommands ssh_commands(const std::string& host);

/// Quotes a word for a POSIX shell.
[[nodiscard]] std::string quoted(const std::string& word);

/// What a disk or its permissions have against a command, of which `output` is what it printed:
/// "there is not enough space: LINE". Empty where it is nothing of that kind; trying again helps
/// only then.
[[nodiscard]] std::string disk_complaint(const std::string& output);

/// A shell and files on a machine whose connection may drop. Everything throws missing, with what
/// the tool said last, where the machine cannot be reached (again), or has no space or permission
/// for a file.
class RemoteShell {
public:
    /// Checks that the machine is there.
    RemoteShell(ShellCommands commands, ReconnectOptions options);

    [[nodiscard]] const std::string& name() const { return commands_.name; }
    [[nodiscard]] const std::string& folder() const { return commands_.folder; }

    struct Answer {
        int status = 0;
        std::string output; ///< what the command printed, standard output and error together
    };
    /// Runs the command in the folder. Where the connection drops before its end, waits and runs
    /// `again` instead.
    [[nodiscard]] Answer run(const std::string& command, const std::string& again) const;
    /// The output of a command that may be run twice and that fails only if the connection does.
    [[nodiscard]] std::string run_safely(const std::string& command) const;

    /// Runs a command once and ignores failures, for work that is not essential.
    void try_to(const std::string& command) const noexcept;

    void push(const std::string& from, const std::string& to) const;
    void pull(const std::string& from, const std::string& to) const;

private:
    [[nodiscard]] Words in_folder(const std::string& command) const;
    /// Throws with `remedy` what the disk says of it.
    void transfer(const Words& words, const std::string& remedy) const;
    [[nodiscard]] Error unreachable(const std::string& what, const std::string& output) const;
    void reconnect(const std::string& said) const;

    ShellCommands commands_;
    ReconnectOptions options_;
};

} // namespace texelscope::devices
