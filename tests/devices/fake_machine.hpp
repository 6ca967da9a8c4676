#pragma once

// A machine behind adb or ssh: programs of these names that act on a folder of this machine.

#include "tests/base/temporary_folder.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>

namespace texelscope::test {

// What all stand-ins share. $machine: folder that stands for the machine. run COMMAND: as its
// shell. If there is a file `drop`, the next run of the agent loses its connection once
// `drop_after` jobs are done and the next one, if any, is under way: with "keep" in it the agent
// works on, with "kill" it goes down too, as when the machine starts anew. After that the machine
// is away until somebody waits.
inline constexpr const char* shared_part = R"sh(#!/bin/sh
machine=$(dirname "$0")/machine
away() { [ -e "$machine/away" ]; }
results_with() { cat "$machine"/$folder/runner-*/batch-*/results 2> /dev/null | grep -ac "^$1"; }
run() {
    case $1 in
    *--isolate*)
        if [ -e "$machine/drop" ]; then
            what=$(cat "$machine/drop")
            after=$(cat "$machine/drop_after")
            rm "$machine/drop"
            (cd "$machine" && exec setsid sh -c "$1" > /dev/null 2>&1) &
            for i in $(seq 1 1500); do
                if [ "$(results_with status)" -ge "$after" ]; then
                    [ "$(results_with started)" -gt "$after" ] && break
                    [ "$(results_with "jobs $after\$")" -gt 0 ] && break
                fi
                sleep 0.02
            done
            if [ "$what" = kill ]; then
                kill -9 -$! # the session of its own, workers included
            fi
            touch "$machine/away"
            echo "connection reset" >&2
            exit 255
        fi ;;
    esac
    cd "$machine" && exec sh -c "$1"
}
)sh";

inline constexpr const char* adb_part = R"sh(
folder=data/local/tmp/texelscope
echo "$@" >> "$machine/said"
if [ "$1" = devices ]; then
    echo '* daemon not running; starting now at tcp:5037'
    echo '* daemon started successfully'
    echo 'List of devices attached'
    cat "$machine/attached" 2> /dev/null
    echo
    exit 0
fi
[ "$1" = -s ] && shift
[ "$1" = phone-1 ] || { echo "adb: device '$1' not found" >&2; exit 1; }
shift
case $1 in
wait-for-device) rm -f "$machine/away"; exit 0 ;;
esac
away && { echo "adb: device offline" >&2; exit 1; }
if [ -e "$machine/refuses" ]; then cat "$machine/refuses" >&2; exit 1; fi
if [ "$1" = push ] && [ -e "$machine/full" ]; then
    echo "$2: 0 files pushed."
    echo "adb: error: failed to copy '$2' to '$3': remote $(cat "$machine/full")" >&2
    exit 1
fi
case $1 in
get-state) echo device ;;
push) cp "$2" "$machine$3" ;;
pull) cp "$machine$2" "$3" ;;
shell) run "$(echo "$2" | sed "s|'/data|'$machine/data|g")" ;;
*) echo "adb: unknown command $1" >&2; exit 1 ;;
esac
)sh";

inline constexpr const char* ssh_part = R"sh(
folder=.cache/texelscope
echo "$@" >> "$machine/said"
while [ "$1" = -o ]; do shift 2; done
[ "$1" = me@board ] || { echo "ssh: Could not resolve hostname $1" >&2; exit 255; }
if [ "$2" = true ] && away; then rm "$machine/away"; exit 255; fi
away && exit 255
run "$2"
)sh";

inline constexpr const char* scp_part = R"sh(
away && exit 255
[ "$1" = -q ] && shift
while [ "$1" = -o ]; do shift 2; done
at() { case $1 in me@board:*) echo "$machine/${1#me@board:}" ;; *) echo "$1" ;; esac; }
cp "$(at "$1")" "$(at "$2")"
)sh";

/// Stand-ins first on PATH, for as long as it lives.
class FakeMachine {
public:
    FakeMachine() : path_(std::getenv("PATH"))
    {
        std::filesystem::create_directories(folder_.file("machine/data/local/tmp"));
        for (const auto& [name, part] :
             {std::pair{"adb", adb_part}, {"ssh", ssh_part}, {"scp", scp_part}}) {
            std::filesystem::permissions(folder_.write(name, std::string(shared_part) + part),
                                         std::filesystem::perms::owner_all);
        }
        setenv("PATH", (folder_.file("") + ":" + path_).c_str(), 1);
    }
    ~FakeMachine() { setenv("PATH", path_.c_str(), 1); }
    FakeMachine(const FakeMachine&) = delete;
    FakeMachine& operator=(const FakeMachine&) = delete;

    void drop(const std::string& what, int after_jobs = 2) const
    {
        (void)folder_.write("machine/drop_after", std::to_string(after_jobs));
        (void)folder_.write("machine/drop", what);
    }
    [[nodiscard]] bool dropped() const
    {
        return !std::filesystem::exists(folder_.file("machine/drop"));
    }
    /// Whether a runner has left anything on the machine.
    [[nodiscard]] bool is_clean() const
    {
        for (const auto& entry :
             std::filesystem::recursive_directory_iterator(folder_.file("machine"))) {
            if (entry.path().filename().string().rfind("runner-", 0) == 0) {
                return false;
            }
        }
        return true;
    }

    /// Whether the folder of runners there, of adb or ssh, is its owner's alone.
    [[nodiscard]] bool is_private() const
    {
        using std::filesystem::perms;
        for (const char* name :
             {"machine/data/local/tmp/texelscope", "machine/.cache/texelscope"}) {
            if (std::filesystem::exists(folder_.file(name)) &&
                (std::filesystem::status(folder_.file(name)).permissions() &
                 (perms::group_all | perms::others_all)) != perms::none) {
                return false;
            }
        }
        return true;
    }
    /// What `adb devices` lists, a line for each phone.
    void attach(const std::string& lines) const { (void)folder_.write("machine/attached", lines); }
    /// What adb answers to every command of the phone, before it fails.
    void refuse(const std::string& text) const { (void)folder_.write("machine/refuses", text); }
    /// Why no file can be copied to the phone.
    void fill(const std::string& why) const { (void)folder_.write("machine/full", why); }
    /// The command lines of adb and ssh so far.
    [[nodiscard]] std::string said() const
    {
        std::ifstream file(folder_.file("machine/said"));
        return {std::istreambuf_iterator<char>(file), {}};
    }
    /// A file of this machine.
    [[nodiscard]] std::string file(const std::string& name, const std::string& contents) const
    {
        return folder_.write(name, contents);
    }
    /// Has a program there print `text` instead of what it would.
    void replace(const std::string& program, const std::string& text) const
    {
        std::filesystem::permissions(
            folder_.write(program, "#!/bin/sh\nprintf '%s' '" + text + "'\n"),
            std::filesystem::perms::owner_all);
    }

private:
    TemporaryFolder folder_;
    std::string path_;
};

} // namespace texelscope::test
